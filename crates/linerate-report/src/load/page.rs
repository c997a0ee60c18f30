//! A load as sections.

use linerate_sim::load::LoadOutcome;
use linerate_study::Study;

use super::super::columns::Column;
use super::super::section::{
    self, Card, Document, Entry, Item, Kind, Part, Section, TableView, Warning, entries,
};
use super::super::text::{Key, plain};
use super::points::point_columns;
use super::stations::{extremes, queue_columns, station_columns};
use super::words::{described, summary, swept};
use super::{bars, curves};

/// How the tables are read.
const READ: &str = "Mb/s is 10^6 bit/s of frames, on every medium from the first byte of the header to the last of the check sequence; goodput counts the IP packets in them. At most is what framing leaves. Rates and delays are counted from the end of the warm-up, counts over all of the run. Jain's index is 1 when all senders have the same throughput and 1/n when one of n has all. +- is half the width of a 95 % interval of the mean (Student's t).";

/// `study` in every form: a run's key numbers, charts, cautions, tables, what was asked and the plan.
pub fn document(study: &Study) -> Document {
    let drawn = match study.single() {
        Some(run) => bars::figures(run),
        None => curves::figures(study),
    };
    let facts = described(study).into_iter().map(Entry::from).chain(entries(facts(study))).collect();
    let cautions: Vec<Warning> =
        study.cautions().into_iter().map(|[finding, advice]| Warning::new(plain(&finding), advice)).collect();
    let cautions = (!cautions.is_empty()).then_some(Item::Cautions(cautions));
    let found = study.single().map(|run| Item::Keys(vec![card(study, run)]));
    let about = Some(about(study)).filter(|about| !about.is_empty()).map(Item::Lead);
    let asked =
        vec![Item::Facts(facts), Item::Note("A model in virtual time: no host took part.".to_owned())];
    let numbers = section::tables(tables(study)).chain([Item::Note(READ.to_owned())]);
    let plan = Item::Listing { title: String::new(), text: plans(study) };
    let sections = vec![
        Section::new(Part::Result, "result", "", about.into_iter().chain(found).collect()),
        Section::new(Part::Charts, "charts", "Charts", section::charts(drawn).collect()),
        Section::new(Part::Doubts, "cautions", "Cautions", cautions.into_iter().collect()),
        Section::new(Part::Tables, "numbers", "Numbers", numbers.collect()),
        Section::new(Part::Method, "method", "What was modelled", asked),
        Section::new(Part::Environment, "plan", "Plan", vec![plan]),
    ];
    Document::new(plain(&study.name()), sections)
}

/// What the plan says of itself, or that several are compared.
fn about(study: &Study) -> String {
    match &study.plans[..] {
        [only] => plain(&only.plan.about),
        several => format!("{} plans, side by side", several.len()),
    }
}

/// The plans as TOML, of several each under its name.
fn plans(study: &Study) -> String {
    match &study.plans[..] {
        [only] => only.plan.to_toml(),
        several => {
            let text = several.iter().map(|one| format!("# {}\n{}", plain(&one.name), one.plan.to_toml()));
            text.collect::<Vec<_>>().join("\n")
        }
    }
}

/// What was asked.
fn facts(study: &Study) -> Vec<Key> {
    let mut facts = Vec::new();
    facts.extend(swept(study).into_iter().map(|key| Key { label: "swept", value: plain(&key) }));
    let runs = match study.single() {
        Some(run) => {
            let warm_up = study.plans[0].plan.load.warm_up;
            format!(
                "{} counted after {warm_up} of warm-up, seed {}, {} events",
                run.counted, run.seed, run.events
            )
        }
        None => format!("{} of {} done", study.done(), study.asked),
    };
    facts.push(Key { label: "runs", value: runs });
    if study.single().is_none() {
        let first = study.plans[0].plan.seed;
        let last = first.wrapping_add(study.seeds().saturating_sub(1) as u64);
        let value =
            if first == last { first.to_string() } else { format!("{first} to {last} at each point") };
        facts.push(Key { label: "seeds", value });
    }
    facts
}

fn card(study: &Study, run: &LoadOutcome) -> Card {
    Card {
        kind: Kind::Load,
        title: String::new(),
        colour: None,
        keys: entries(summary(run, study.points[0].ceiling)),
        note: String::new(),
    }
}

fn tables(study: &Study) -> Vec<TableView> {
    let Some(run) = study.single() else {
        return vec![TableView::new("Every point", point_columns(study))];
    };
    let table = TableView::new("Every station", station_columns(run));
    let mut tables = vec![match extremes(run) {
        Some(rows) => {
            let chosen =
                format!("{} of {} stations: those that sent most and least", rows.len(), run.stations.len());
            table.brief(rows, chosen)
        }
        None => table,
    }];
    if !run.queues.is_empty() {
        let numbers = (1..=run.queues.len()).map(|number| number.to_string()).collect();
        let mut columns = vec![Column::new("number", 1, numbers)];
        columns.extend(queue_columns(run));
        tables.push(TableView::new("Queues and buffers", columns));
    }
    tables
}

#[cfg(test)]
mod tests {
    use linerate_core::plan::Rows;

    use super::super::super::text::columns;
    use super::super::fixture;
    use super::*;

    #[test]
    fn it_asks_the_network_for_nothing() {
        for study in [fixture::single(), fixture::sweep()] {
            let page =
                document(&study).html().expect("it has a page").replace("http://www.w3.org/2000/svg", "");
            crate::golden::asks_for_nothing(&page);
            assert!(page.contains("default-src 'none'"));
        }
    }

    #[test]
    fn a_hostile_name_is_text_and_not_markup() {
        let mut study = fixture::sweep();
        study.plans[0].name = "</script><script>alert(1)</script>\u{1b}[31m".to_owned();
        study.plans[0].plan.about = "<img src=x>".to_owned();
        study.points.iter_mut().for_each(|point| {
            point.set[1] = toml::Value::String("</script><script>alert(2)".to_owned());
        });
        let page = document(&study).html().expect("it has a page");
        assert!(!page.contains("<script>alert") && !page.contains("<img") && !page.contains('\u{1b}'));
        assert_eq!(page.matches("<script").count(), 2, "data and script");
        assert_eq!(page.matches("</script").count(), 2, "data and script");
    }

    #[test]
    fn every_chart_has_its_curves_and_every_point_its_row() {
        let page = document(&fixture::sweep()).html().expect("it has a page");
        // Five measures against each of two keys; efficiency has lines of theory too.
        assert_eq!(page.matches("<figure").count(), 2 * 5);
        assert_eq!(page.matches("<g class=\"curve ").count(), 5 * 3 + 6 + 5 * 6 + 1);
        let (_, table) = page.split_once("Every point").expect("there is a table");
        assert_eq!(table.matches("<tr>").count(), 1 + 18);
        let page = document(&fixture::crowd()).html().expect("it has a page");
        let (_, table) = page.split_once("Every station").expect("there is a table");
        assert!(table.matches("<tr>").count() > 40, "all of them, not the extremes alone");
    }

    #[test]
    fn the_pages_of_a_run_of_a_sweep_and_of_several_plans_read_well() {
        for (name, study) in [
            ("single", fixture::single()),
            ("interrupted", fixture::interrupted()),
            ("media", fixture::media()),
        ] {
            let page = document(&study).html().expect("it has a page");
            insta::assert_snapshot!(format!("the_page_of_{name}"), crate::golden::page(&page));
        }
    }

    #[test]
    fn a_single_run_reads_well() {
        insta::assert_snapshot!(document(&fixture::single()).text(80, Rows::Short));
    }

    #[test]
    fn a_sweep_reads_well() {
        insta::assert_snapshot!(document(&fixture::sweep()).text(120, Rows::Short));
    }

    #[test]
    fn every_line_fits_a_usual_terminal() {
        for study in [fixture::single(), fixture::crowd(), fixture::sweep(), fixture::interrupted()] {
            for width in [60, 80, 120] {
                let text = document(&study).text(width, Rows::Short);
                let wide: Vec<&str> =
                    text.lines().filter(|line| columns(line) > usize::from(width)).collect();
                assert!(wide.is_empty(), "{width}: {wide:#?}");
            }
        }
    }

    #[test]
    fn of_many_stations_the_extremes_are_shown() {
        let text = document(&fixture::crowd()).text(100, Rows::Short);
        let rows: Vec<&str> = text.lines().skip_while(|line| !line.contains("station  ")).collect();
        assert!(
            text.contains("(16 of 40 stations: those that sent most and least; --rows all has all)"),
            "{text}"
        );
        let number = |row: &str| row.split_whitespace().next().unwrap_or_default().to_owned();
        // Station n of the fixture has the n-th part, so the last has the most.
        assert_eq!((number(rows[1]), number(rows[8])), ("39".to_owned(), "32".to_owned()));
        assert_eq!((number(rows[9]), number(rows[16])), ("7".to_owned(), "0".to_owned()));
    }

    #[test]
    fn an_interrupted_study_shows_what_was_done_and_says_so() {
        let text = document(&fixture::interrupted()).text(80, Rows::Short);
        assert!(text.contains("! 3 of 6 runs were done"), "{text}");
    }

    /// For looking at: `LINERATE_PAGES=/tmp/x cargo test -p linerate pages_to_look_at -- --ignored`.
    #[test]
    #[ignore = "writes files for a person to look at"]
    fn pages_to_look_at() {
        let folder = std::path::PathBuf::from(std::env::var_os("LINERATE_PAGES").expect("it names a folder"));
        for (name, study) in [
            ("single", fixture::single()),
            ("crowd", fixture::crowd()),
            ("sweep", fixture::sweep()),
            ("media", fixture::media()),
        ] {
            let page = document(&study).html().expect("it has a page");
            std::fs::write(folder.join(name).with_extension("html"), page).expect("the folder is there");
        }
    }
}
