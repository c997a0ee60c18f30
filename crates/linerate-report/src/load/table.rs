//! A load as plain text for people.

use linerate_sim::load::LoadOutcome;
use linerate_study::Study;

use super::super::columns::{Column, fit};
use super::super::text::{item, plain, wrap};
use super::points::point_columns;
use super::stations::{chosen, queue_columns, station_columns};
use super::words::{described, summary, swept};

/// The narrowest table: the numbers alone need this.
const NARROWEST: usize = 40;

/// `study` as text of about `width` columns: what was asked, then a single run in full or a row
/// for each point, then what is doubtful. No colours, no control codes.
pub fn table(study: &Study, width: u16) -> String {
    let width = usize::from(width).max(NARROWEST);
    let mut blocks = vec![headline(study, width)];
    match study.single() {
        Some(run) => {
            let lines = summary(run, study.points[0].ceiling)
                .into_iter()
                .map(|line| item(line.label, &line.value, width));
            blocks.push(lines.collect::<Vec<_>>().join("\n"));
            blocks.push(stations(run, width));
            blocks.push(if run.queues.is_empty() {
                String::new()
            } else {
                fitted(queue_columns(run), "json", width)
            });
        }
        None => blocks.push(points(study, width)),
    }
    let cautions = study.cautions();
    let caution =
        |[finding, advice]: &[String; 2]| wrap(&format!("! {}; {advice}", plain(finding)), width, 2);
    blocks.push(cautions.iter().map(caution).collect::<Vec<_>>().join("\n"));
    blocks.retain(|block| !block.is_empty());
    blocks.join("\n\n") + "\n"
}

fn headline(study: &Study, width: usize) -> String {
    let plan = &study.plans[0].plan;
    let about = if plan.about.is_empty() { String::new() } else { format!(": {}", plain(&plan.about)) };
    let about = if study.plans.len() == 1 { about } else { String::new() };
    let mut lines = vec![wrap(&format!("{}{about}", plain(&study.name())), width, 2)];
    lines.extend(described(study).into_iter().map(|[label, text]| item(&label, &text, width)));
    match study.single() {
        Some(run) => lines.push(item("counted", &counted(study, run), width)),
        None => {
            lines.extend(swept(study).iter().map(|key| item("swept", &plain(key), width)));
            let last = study.seeds().saturating_sub(1) as u64;
            let first = plan.seed;
            let seeds = if last == 0 {
                first.to_string()
            } else {
                format!("{first} to {}", first.wrapping_add(last))
            };
            lines.push(item("seeds", &seeds, width));
        }
    }
    lines.join("\n")
}

fn counted(study: &Study, run: &LoadOutcome) -> String {
    let warm_up = study.plans[0].plan.load.warm_up;
    format!("{} after {warm_up} of warm-up, seed {}, {} events", run.counted, run.seed, run.events)
}

/// As many columns as there is room for; `all` says where the others are.
fn fitted(columns: Vec<Column>, all: &str, width: usize) -> String {
    let (text, mut left_out) = fit(columns, width);
    if left_out.is_empty() {
        return text;
    }
    left_out.dedup();
    let note = format!("  (no room for {}; --format {all} has all)", left_out.join(", "));
    format!("{text}\n{}", wrap(&note, width, 2))
}

fn stations(run: &LoadOutcome, width: usize) -> String {
    let chosen = chosen(run);
    let text = fitted(station_columns(run, &chosen.shown), "json", width);
    let Some((rows, more)) = chosen.gap else { return text };
    let mut lines: Vec<&str> = text.lines().collect();
    let gap = format!("  ... {more} more");
    lines.insert(1 + rows, &gap);
    lines.join("\n")
}

/// A row for each point of the grid that was run.
fn points(study: &Study, width: usize) -> String {
    if study.done() == 0 {
        "  nothing was run".to_owned()
    } else {
        fitted(point_columns(study), "csv", width)
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::text::columns;
    use super::super::fixture;
    use super::*;

    #[test]
    fn a_single_run_reads_well() {
        insta::assert_snapshot!(table(&fixture::single(), 80));
    }

    #[test]
    fn a_sweep_reads_well() {
        insta::assert_snapshot!(table(&fixture::sweep(), 120));
    }

    #[test]
    fn every_line_fits_a_usual_terminal() {
        for study in [fixture::single(), fixture::crowd(), fixture::sweep(), fixture::interrupted()] {
            for width in [60, 80, 120] {
                let text = table(&study, width);
                let wide: Vec<&str> =
                    text.lines().filter(|line| columns(line) > usize::from(width)).collect();
                assert!(wide.is_empty(), "{width}: {wide:#?}");
            }
        }
    }

    #[test]
    fn of_many_stations_the_extremes_are_shown() {
        let text = table(&fixture::crowd(), 100);
        let rows: Vec<&str> = text.lines().skip_while(|line| !line.contains("station  ")).collect();
        assert!(rows[9].contains("... 24 more"), "{rows:#?}");
        let number = |row: &str| row.split_whitespace().next().unwrap_or_default().to_owned();
        // Station n of the fixture has the n-th part, so the last has the most.
        assert_eq!((number(rows[1]), number(rows[8])), ("39".to_owned(), "32".to_owned()));
        assert_eq!((number(rows[10]), number(rows[17])), ("7".to_owned(), "0".to_owned()));
    }

    #[test]
    fn an_interrupted_study_shows_what_was_done_and_says_so() {
        let text = table(&fixture::interrupted(), 80);
        assert!(text.contains("! 3 of 6 runs were done"), "{text}");
    }
}
