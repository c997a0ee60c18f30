//! What each rank did in one step: a row for each, with bars where it calculated.

use linerate_analysis::report::AppResult;
use linerate_core::app::{Account, AppCase, Phase};

use super::columns::rank_name;
use super::words::{name, share};
use crate::figure::axis::times_from_zero;
use crate::figure::{Aim, Figure, Layer, Title};
use crate::plot::{Axis, Mark, Scale, UNIT};
use crate::text::{shortened, time_text};

/// The most rows, and the most bars.
const MOST_RANKS: usize = 64;
const MOST_BARS: usize = 4_000;
/// Kinds of work with a colour of their own; one more stands for all others.
const MOST_KINDS: usize = 4;
const OTHERS: &str = "other work";
/// Half the height of a bar, as a share of the distance of two rows.
const HALF_BAR: f64 = 0.38;
/// The width of the shortest bars, which would not be seen otherwise, as a share of the longest step.
const THINNEST: f64 = 1e-3;
/// The longest name of a rank beside its row. Unit: characters.
const LONGEST: usize = 12;
/// The most rows of which each is labelled.
const MOST_LABELS: usize = 20;

/// The recorded step of a case. Absent if none was recorded.
pub(super) fn figure(app: &AppResult, case: &AppCase, title: Title) -> Option<Figure> {
    let rows = rows(case);
    let longest = rows.iter().map(|(account, _)| length(account)).max().unwrap_or(0);
    if longest == 0 {
        return None;
    }
    let x = times_from_zero("Time in the step, by each rank's own clock", longest as f64 / 1e6);
    let y = names(app, rows.len());
    let axes = [&x, &y];
    let kinds = kinds(&rows);
    let mut layers: Vec<Layer> =
        kinds.iter().enumerate().map(|(index, kind)| bars(axes, (index, kind), &kinds, &rows)).collect();

    layers.push(gaps(axes, kinds.len(), &rows));

    let left_out = case.accounts.len() - rows.len();
    let more = if left_out > 0 {
        format!(" Of {} ranks the first {}.", case.accounts.len(), rows.len())
    } else {
        String::new()
    };
    let caption = format!("{}{more}", title.caption);
    Some(Figure::new(Title { caption, ..title }, axes, layers))
}

/// The accounts that are drawn, with their phases in the order of time. Those that took no time, as on a model, are left
/// out.
type Rows<'a> = Vec<(&'a Account, Vec<&'a Phase>)>;

fn rows<'a>(case: &'a AppCase) -> Rows<'a> {
    let mut bars = 0;
    let shown = case.accounts.iter().take(MOST_RANKS).take_while(|account| {
        bars += account.phases.len();
        bars <= MOST_BARS
    });
    let sorted = |account: &'a Account| {
        let mut phases: Vec<&Phase> = account.phases.iter().filter(|it| it.end_ps > it.begin_ps).collect();
        phases.sort_by_key(|phase| phase.begin_ps);
        (account, phases)
    };
    shown.map(sorted).collect()
}

/// How long a rank's step took. Unit: picoseconds.
fn length(account: &Account) -> u64 {
    let last = account.phases.iter().map(|phase| phase.end_ps).max();
    account.step_ps.into_iter().chain(last).max().unwrap_or(0)
}

/// The kinds of work in the order in which they come; of many those that take longest, and one for all others.
fn kinds(rows: &Rows<'_>) -> Vec<String> {
    let mut kinds: Vec<(String, f64)> = Vec::new();
    for phase in rows.iter().flat_map(|(_, phases)| phases) {
        let (kind, lasts) = (name(&phase.what), us(phase.end_ps - phase.begin_ps));
        match kinds.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, all)) => *all += lasts,
            None => kinds.push((kind, lasts)),
        }
    }
    let is_many = kinds.len() > MOST_KINDS + 1;
    if is_many {
        let mut longest = kinds.clone();
        longest.sort_by(|(_, one), (_, other)| other.total_cmp(one));
        longest.truncate(MOST_KINDS);
        kinds.retain(|kind| longest.contains(kind));
    }
    let others = is_many.then(|| OTHERS.to_owned());
    kinds.into_iter().map(|(kind, _)| kind).chain(others).collect()
}

/// Rows by the names of their ranks, the first at the top.
fn names(app: &AppResult, rows: usize) -> Axis {
    let every = rows.div_ceil(MOST_LABELS).max(1);
    let place = |rank: usize| (rows - 1 - rank) as f64;
    let ticks: Vec<f64> = (0..rows).step_by(every).map(place).collect();
    let label = |value: f64| shortened(&rank_name(app, rows - 1 - value as usize), LONGEST);
    Axis::new("Rank".to_owned(), Scale::Linear, [-0.5, rows as f64 - 0.5], &ticks, label)
}

/// Unit of the axis of times: microseconds.
fn us(ps: u64) -> f64 {
    ps as f64 / 1e6
}

fn bars(axes: [&Axis; 2], (index, kind): (usize, &String), kinds: &[String], rows: &Rows<'_>) -> Layer {
    let is_of = |phase: &Phase| {
        let what = name(&phase.what);
        what == *kind || (kind == OTHERS && !kinds.contains(&what))
    };
    let longest = rows.iter().map(|(account, _)| length(account)).max().unwrap_or(0);
    let least = us(longest) * THINNEST;
    let (mut marks, mut aims) = (Vec::new(), Vec::new());
    for (rank, (account, phases)) in rows.iter().enumerate() {
        let y = (rows.len() - 1 - rank) as f64;
        for phase in phases.iter().filter(|phase| is_of(phase)) {
            let [begin, end] = [us(phase.begin_ps), us(phase.end_ps)];
            let corners = [(begin, y - HALF_BAR), (end.max(begin + least), y + HALF_BAR)];
            marks.push(Mark::bar(corners, 0.85));
            let lines = lines(rank, &name(&phase.what), [phase.begin_ps, phase.end_ps], length(account));
            aims.push(Aim::at(axes, (f64::midpoint(begin, end), y), lines));
        }
    }
    Layer::new((index, kind.clone()), axes, marks, aims)
}

/// A thin line through the whole step of each rank, which shows where there are no bars.
fn gaps(axes: [&Axis; 2], index: usize, rows: &Rows<'_>) -> Layer {
    let name = "communication or waiting".to_owned();
    let (mut marks, mut aims) = (Vec::new(), Vec::new());
    for (rank, (account, phases)) in rows.iter().enumerate() {
        let y = (rows.len() - 1 - rank) as f64;
        let (length, mut at) = (length(account), 0);
        let ends = phases.iter().map(|phase| (phase.begin_ps, phase.end_ps)).chain([(length, length)]);
        for (begin, end) in ends {
            if begin > at {
                marks.push(Mark::Line { through: vec![(us(at), y), (us(begin), y)], width: UNIT, dark: 0.6 });
                let middle = f64::midpoint(us(at), us(begin));
                aims.push(Aim::at(axes, (middle, y), lines(rank, &name, [at, begin], length)));
            }
            at = at.max(end);
        }
    }
    Layer::new((index, name), axes, marks, aims)
}

fn lines(rank: usize, what: &str, [begin, end]: [u64; 2], length: u64) -> Vec<String> {
    let part = if length > 0 { share((end - begin) as f64 / length as f64) } else { "0 %".to_owned() };
    vec![
        format!("rank {rank}: {what}"),
        format!("{}, {part} of its step", time_text((end - begin) as f64)),
        format!("from {} to {}", time_text(begin as f64), time_text(end as f64)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::HEIGHT;

    #[test]
    fn of_many_kinds_the_longest_have_a_colour() {
        let phase = |nth: u64, lasts: u64| Phase {
            what: format!("kind {nth}"),
            begin_ps: nth * 100,
            end_ps: nth * 100 + lasts,
        };
        let account = |all: &[u64]| Account {
            phases: (0..).zip(all).map(|(nth, it)| phase(nth, *it)).collect(),
            ..Account::default()
        };
        let kinds_of = |all: &[u64]| {
            let case = AppCase { accounts: vec![account(all)], ..AppCase::default() };
            kinds(&rows(&case))
        };
        assert_eq!(kinds_of(&[1, 9, 2, 8, 7, 6]), ["kind 1", "kind 3", "kind 4", "kind 5", OTHERS]);
        assert_eq!(kinds_of(&[1, 9, 2, 8, 7]).len(), 5, "there are colours for all of them");
        assert_eq!(kinds_of(&[3; 9]).len(), MOST_KINDS + 1);
        assert_eq!(kinds_of(&[0, 0, 0, 0, 0, 0, 4]), ["kind 6"], "what takes no time is not seen");
    }

    #[test]
    fn a_bar_has_most_of_the_height_of_its_row() {
        let phase = Phase { what: "forces".to_owned(), begin_ps: 0, end_ps: 1_000_000 };
        let account = Account { phases: vec![phase], ..Account::default() };
        let rows: Rows<'_> = vec![(&account, account.phases.iter().collect())];
        let x = times_from_zero("Time", 1.0);
        let y = Axis::new("Rank".to_owned(), Scale::Linear, [-0.5, 0.5], &[0.0], |_| String::new());
        let kinds = kinds(&rows);
        let svg = bars([&x, &y], (0, &kinds[0]), &kinds, &rows).svg;
        let points = svg.split("points=\"").nth(1).and_then(|rest| rest.split('"').next()).expect("a bar");
        let heights =
            points.split_whitespace().filter_map(|point| point.split(',').nth(1)?.parse::<u32>().ok());
        let heights: Vec<u32> = heights.collect();
        let height = heights.iter().max().expect("corners") - heights.iter().min().expect("corners");
        // The only row has what titles and labels leave, at least three quarters.
        assert!(height > HEIGHT * 3 / 4 * 7 / 10, "{svg}");
    }
}
