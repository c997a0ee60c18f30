//! Curves: key numbers, NetPIPE's three graphs, dips, and every number.

mod graph;
mod graphs;
mod short;

use linerate_analysis::derive::Dip;
use linerate_analysis::facts::{Size, Sizes};
use linerate_analysis::report::{Curve, CurvePoint, NamedRun, Report};
use linerate_core::options::Granted;
use linerate_core::plan::DEFAULT_TARGET;
use linerate_core::run::{Run, Source};

use crate::columns::{Column, of_kind};
use crate::plot::look;
use crate::section::{Card, Entry, Item, Kind, Part, Section, TableView, charts, entries, tables};
use crate::text::{
    capital, coverage, curve_name, fact, keys, path_mtus, percent, plain, progress, timing, waiting,
};

pub(crate) use graph::Graph;
pub(crate) use graphs::figures as graphs;

/// How the graphs are read.
const READ: &str = "Sizes that were not timed are gaps. Mb/s is 10^6 bit/s of payload, KiB is 1024 B.";

/// The sections of the curves of `report`.
pub(crate) fn sections(report: &Report) -> Vec<Section> {
    if report.curves.is_empty() {
        return Vec::new();
    }
    let runs = || report.curves.iter().map(|curve| curve.run);
    let graphs = charts(graphs(report)).chain([Item::Note(READ.to_owned())]).collect();
    let numbers = (0..report.curves.len()).map(|index| Item::Table(numbers(report, index))).collect();
    vec![
        Section::new(Part::Charts, "graphs", "Graphs", graphs).of(runs()),
        Section::new(Part::Doubts, "dips", "Dips", tables([dips(report)]).collect()).of(runs()),
        Section::new(Part::Tables, "numbers", "Every size", numbers).of(runs()),
    ]
}

/// The key numbers of each curve.
pub(crate) fn cards(report: &Report) -> Vec<Card> {
    let card = |(index, curve): (usize, &Curve)| Card {
        kind: Kind::Curve,
        title: format!("{} ({})", curve_name(report, index), curve.pattern),
        colour: Some(look(index).colour),
        keys: entries(keys(curve)),
        note: note(curve),
    };
    report.curves.iter().enumerate().map(card).collect()
}

/// What its times are and what its ranges cover.
fn note(curve: &Curve) -> String {
    let ranges = coverage(curve).map_or_else(String::new, |text| format!(" Ranges are {text}."));
    format!("{}.{ranges}", capital(timing(curve.pattern)))
}

/// Over what the curves of a run were measured, and how receivers waited.
pub(crate) fn asked(named: &NamedRun) -> Vec<Entry> {
    let run = &named.run;
    let mut asked: Vec<Entry> = link(run).map(|link| Entry::from(("link", link))).into_iter().collect();
    if run.source == Source::Measured || run.source == Source::Loopback {
        asked.push(Entry::from(("receivers", waiting(run.plan.common.socket.wait).to_owned())));
    }
    asked.extend(path_mtus(run).map(|mtu| Entry::from(("path MTU", mtu))));
    asked.extend(buffers(named));
    asked
}

/// The link's rate, or why what its driver states is none; and the MTU.
fn link(run: &Run) -> Option<String> {
    let mtu = run.framing().map_or_else(String::new, |framing| format!(", MTU {} B", framing.mtu));
    if let Some(link) = run.link() {
        return Some(format!("{link}{mtu}"));
    }
    let (driver, mbps) = run.local().environment.interface.known()?.made_up_speed()?;
    Some(format!("rate unknown: {} states {mbps} Mb/s but has no limit{mtu}", plain(driver)))
}

/// The requested buffers beside what each end was granted. Empty if none were requested.
fn buffers(named: &NamedRun) -> Vec<Entry> {
    let socket = &named.run.plan.common.socket;
    let ends = [("this host", &named.run.local().granted), ("the peer", &named.run.remote().granted)];
    let send = |granted: &Granted| fact(&granted.sndbuf);
    let receive = |granted: &Granted| {
        format!("{}, usable window {}", fact(&granted.rcvbuf), fact(&granted.usable_window))
    };
    let line = |label: &str, asked: u64, granted: &dyn Fn(&Granted) -> String| {
        let granted = ends.map(|(who, end)| format!("{who} {}", granted(end))).join("; ");
        Entry::from((label, format!("asked {asked} B; granted: {granted}")))
    };
    let lines = [
        socket.sndbuf.map(|asked| line("sndbuf", asked.bytes(), &send)),
        socket.rcvbuf.map(|asked| line("rcvbuf", asked.bytes(), &receive)),
    ];
    lines.into_iter().flatten().collect()
}

/// Sizes that do worse than those around them.
fn dips(report: &Report) -> TableView {
    let of = |(index, curve): (usize, &'_ Curve)| {
        let dips = curve.derived.dips.clone();
        dips.into_iter().map(move |dip| (index, dip)).collect::<Vec<_>>()
    };
    let dips: Vec<(usize, Dip)> = report.curves.iter().enumerate().flat_map(of).collect();
    let cells = |cell: &dyn Fn(&Dip) -> String| dips.iter().map(|(_, dip)| cell(dip)).collect::<Vec<_>>();
    let boundary = |dip: &Dip| dip.boundary.map_or_else(|| "none known".to_owned(), |at| at.to_string());
    let names = dips.iter().map(|(index, _)| curve_name(report, *index)).collect();
    let mut columns = vec![
        Column::of_words("curve", 0, names),
        Column::new("deepest at B", 0, cells(&|dip| dip.size.to_string())),
        Column::new("from", 0, cells(&|dip| dip.extent[0].to_string())),
        Column::new("to", 0, cells(&|dip| dip.extent[1].to_string())),
        Column::new("throughput lost", 1, cells(&|dip| percent(dip.depth))),
        Column::new("by chance", 2, cells(&|dip| format!("{:.1e}", dip.significance))),
        Column::of_words("boundary there", 1, cells(&boundary)),
    ];
    if report.curves.len() == 1 {
        columns.remove(0);
    }
    TableView::new("", columns)
}

/// Every size of a curve.
fn numbers(report: &Report, index: usize) -> TableView {
    let curve = &report.curves[index];
    let row = |point: &CurvePoint| Size { curve, size: point.size, timed: point.timed };
    let rows: Vec<Size<'_>> = curve.points.iter().map(row).collect();
    let mark = |row: &Size<'_>| row.timed.filter(|timed| !timed.settled).map_or("", |_| "*").to_owned();
    let mut columns = of_kind::<Sizes>(&rows);
    columns.push(Column::of_words("", 0, rows.iter().map(mark).collect()));
    let title = format!("{} ({})", curve_name(report, index), curve.pattern);
    let shown = short::rows(curve);
    let some = format!("{} of {} sizes", shown.len(), rows.len());
    let table = TableView::new(title, columns).closed().noted(marks(report, curve));
    if shown.len() < rows.len() { table.brief(shown, some) } else { table }
}

/// What the marks mean.
fn marks(report: &Report, curve: &Curve) -> Vec<String> {
    let progress = progress(curve);
    let target = report.runs[curve.run].run.plan.curve().map_or(DEFAULT_TARGET, |curve| curve.ci);
    let doubtful = progress.timed - progress.settled;
    let not_settled = (doubtful > 0).then(|| {
        format!(
            "* not settled: {doubtful} of {} intervals are wider than +-{} of the median, or missing",
            progress.timed,
            percent(target)
        )
    });
    let missing = progress.asked - progress.timed;
    let not_timed = (missing > 0).then(|| format!("- not timed: {missing} of {} sizes", progress.asked));
    not_settled.into_iter().chain(not_timed).collect()
}

#[cfg(test)]
mod tests;
