//! Heat maps of size against time: a cell is a run's time as a ratio to the reference.

use linerate_analysis::figures::Band;
use linerate_core::units::Size;

use super::super::figure::{Aim, Figure, Layer, Title};
use super::super::plot::{Axis, Look, Mark, PALE, Scale, Shades, Tiles, UNIT, cell, look_of};
use super::super::section::{Colours, Swatch};
use super::grid::Grid;
use super::shown::Shown;
use super::{PathHistory, dates, median, run_axis, words};

/// Where colours change, as factors, slower on one side and faster on the other. The first whose last
/// factor is beyond nearly all cells is taken.
const SCALES: [[f64; 5]; 7] = [
    [1.005, 1.01, 1.02, 1.03, 1.05],
    [1.01, 1.02, 1.04, 1.07, 1.1],
    [1.02, 1.05, 1.1, 1.15, 1.2],
    [1.05, 1.1, 1.2, 1.3, 1.5],
    [1.1, 1.2, 1.4, 1.7, 2.0],
    [1.25, 1.5, 2.0, 3.0, 5.0],
    [1.5, 2.5, 5.0, 10.0, 20.0],
];
/// This share of the cells may lie beyond the last factor.
const BEYOND: f64 = 0.03;
/// The colour of what did not change.
const SAME: usize = 5;
/// Least distance of two labels, as a share of the axis.
const PITCH: f64 = 0.045;
/// Fewer labels than these leave a reader guessing between them.
const FEWEST: usize = 4;

/// The heat maps of a page, which share a scale.
pub(super) struct Heats {
    pub(super) figures: Vec<Figure>,
    pub(super) colours: Colours,
}

/// A heat map for each pattern that has curves.
pub(super) fn heats(path: &PathHistory, shown: &Shown<'_>) -> Heats {
    let grids = path.curves.keys().filter_map(|pattern| Some((*pattern, Grid::of(path, *pattern)?)));
    let grids: Vec<_> = grids.collect();
    let scale = scale(&grids.iter().map(|(_, grid)| grid).collect::<Vec<&Grid>>());
    let mut figures = Vec::new();
    for (pattern, grid) in &grids {
        let marks =
            shown.events.iter().filter(|it| it.members.iter().any(|it| it.key().subject == pattern.name()));
        let marks: Vec<usize> = marks.map(|it| it.event.at).collect();
        let title = Title {
            id: format!("heat-{}", pattern.name()),
            title: format!("{pattern}: time of a message by size and run"),
            caption: caption(path, grid, &marks),
        };
        figures.push(figure(path, title, grid, (&scale, &marks)));
    }
    Heats { figures, colours: colours(&scale) }
}

fn caption(path: &PathHistory, grid: &Grid, marks: &[usize]) -> String {
    let mut text = format!("Ratio to {}.", grid.reference);
    for (holds, words) in [
        (
            grid.ratios.iter().flatten().any(Option::is_none),
            " Grey: not measured, or the curve was not kept.",
        ),
        (!marks.is_empty(), " Dashed: where something changed."),
        (grid.columns.len() < path.runs.len(), " A column is the middle of several runs."),
    ] {
        text.push_str(if holds { words } else { "" });
    }
    text
}

fn scale(grids: &[&Grid]) -> [f64; 5] {
    let ratios = grids.iter().flat_map(|grid| grid.ratios.iter().flatten().flatten());
    let mut factors: Vec<f64> = ratios.map(|ratio| ratio.max(1.0 / ratio)).collect();
    factors.sort_by(f64::total_cmp);
    let most = factors.get((factors.len() as f64 * (1.0 - BEYOND)) as usize).copied().unwrap_or(1.0);
    SCALES.into_iter().find(|scale| most <= scale[4]).unwrap_or(SCALES[SCALES.len() - 1])
}

/// The colour of a ratio: [`SAME`] in the middle, below it faster.
fn colour(scale: &[f64; 5], ratio: f64) -> usize {
    let steps = |factor: f64| scale.iter().filter(|edge| factor >= **edge).count();
    SAME + steps(ratio) - steps(1.0 / ratio)
}

fn colours(scale: &[f64; 5]) -> Colours {
    let decimals = if scale[0] < 1.01 { 3 } else { 2 };
    let faster = scale.iter().rev().map(|factor| 1.0 / factor);
    let edges = faster.chain(scale.iter().copied()).map(|edge| format!("{edge:.decimals$}"));
    let edges = edges.chain([String::new()]).enumerate();
    let swatches = edges.map(|(shade, until)| Swatch { class: Shades::Ratio.class(shade), until }).collect();
    Colours { ends: ["faster", "slower"].map(str::to_owned), swatches, none: "no curve" }
}

fn figure(path: &PathHistory, title: Title, grid: &Grid, (scale, changes): (&[f64; 5], &[usize])) -> Figure {
    let axes = [&run_axis(path), &sizes(grid)];
    let shade = |ratio: &Option<f64>| cell(ratio.map(|ratio| colour(scale, ratio)));
    let tiles = Mark::Tiles(Tiles {
        wide: grid.columns.first().map_or(1, |[first, last]| last - first + 1),
        columns: grid.columns.len(),
        cells: grid.ratios.iter().flatten().map(shade).collect(),
        shades: Shades::Ratio,
    });
    let mut layers = vec![Layer::new((0, "ratio"), axes, vec![tiles], aims(axes, path, grid))];
    if !changes.is_empty() {
        let rule = |run: &usize| Mark::Rule { at: *run as f64 - 0.5, width: 3 * UNIT / 2 };
        let layer = Layer::new((PALE, "changes"), axes, changes.iter().map(rule).collect(), Vec::new());
        layers.push(Layer { look: Look { dashes: look_of(0, 1).dashes, ..layer.look }, ..layer });
    }
    Figure::new(title, axes, layers)
}

/// A tooltip for each column and band of sizes.
fn aims(axes: [&Axis; 2], path: &PathHistory, grid: &Grid) -> Vec<Aim> {
    let mut aims = Vec::new();
    for band in Band::ALL {
        let rows: Vec<usize> = (0..grid.rows.len()).filter(|row| band.contains(grid.rows[*row][0])).collect();
        let [Some(low), Some(high)] = [rows.first(), rows.last()] else { continue };
        let y = f64::midpoint(*low as f64, *high as f64);
        for (column, [first, last]) in grid.columns.iter().enumerate() {
            let ratios = rows.iter().filter_map(|row| grid.ratios[*row][column]);
            let Some(ratio) = median(ratios) else { continue };
            let lines = vec![when(path, [*first, *last]), format!("{band}: {ratio:.3}")];
            aims.push(Aim::at(axes, (f64::midpoint(*first as f64, *last as f64), y), lines));
        }
    }
    aims
}

/// When the runs of a column began.
fn when(path: &PathHistory, [first, last]: [usize; 2]) -> String {
    let [from, to] = [first, last].map(|run| &path.runs[run]);
    match first == last {
        true => format!("{}, {}", dates::minute(from.started_us), words::short_run(&from.id)),
        false => format!("{} to {}", dates::minute(from.started_us), dates::minute(to.started_us)),
    }
}

/// Sizes side by side, labelled at powers of two.
fn sizes(grid: &Grid) -> Axis {
    let rows = grid.rows.len();
    let mut ticks: Vec<f64> = Vec::new();
    let powers = |[first, last]: &[u64; 2]| first.next_power_of_two() <= *last;
    for row in (0..rows).filter(|row| powers(&grid.rows[*row])) {
        if ticks.last().is_none_or(|before| row as f64 - before >= PITCH * rows as f64) {
            ticks.push(row as f64);
        }
    }
    if ticks.len() < FEWEST {
        // Sizes that avoid powers of two.
        ticks = (0..rows).step_by((rows / FEWEST).max(1)).map(|row| row as f64).collect();
    }
    let label = |row: f64| {
        let [first, last] = grid.rows[row as usize];
        let power = first.next_power_of_two();
        Size(if power <= last { power } else { first }).to_string()
    };
    Axis::new("Message size".to_owned(), Scale::Linear, [-0.5, rows as f64 - 0.5], &ticks, label)
}

#[cfg(test)]
mod tests {
    use super::super::fixture::history;
    use super::*;

    #[test]
    fn colours_diverge_from_the_middle() {
        let scale = [1.02, 1.05, 1.1, 1.15, 1.2];
        for (ratio, expected) in [
            (1.0, 5),
            (1.019, 5),
            (1.0 / 1.019, 5),
            (1.02, 6),
            (1.12, 8),
            (1.2, 10),
            (9.0, 10),
            (0.5, 0),
            (0.97, 4),
        ] {
            assert_eq!(colour(&scale, ratio), expected, "{ratio}");
        }
        let edges: Vec<String> = colours(&scale).swatches.into_iter().map(|swatch| swatch.until).collect();
        assert_eq!(
            edges,
            ["0.83", "0.87", "0.91", "0.95", "0.98", "1.02", "1.05", "1.10", "1.15", "1.20", ""]
        );
    }

    #[test]
    fn every_cell_has_its_colour_in_its_place() {
        let ratios = [
            [Some(1.0), Some(1.3), Some(1.3), None, Some(1.0)],
            [None, Some(0.5), Some(1.0), Some(1.0), Some(0.5)],
            [Some(1.03), None, None, None, Some(0.98)],
        ];
        let grid = Grid {
            columns: (0..5).map(|run| [run, run]).collect(),
            rows: vec![[1, 1], [64, 64], [1_024, 1_024]],
            ratios: ratios.map(Vec::from).into(),
            reference: String::new(),
        };
        let title = Title { id: String::new(), title: String::new(), caption: String::new() };
        let figure = figure(&history(5, 12), title, &grid, (&[1.01, 1.02, 1.04, 1.07, 1.1], &[2]));
        let [Mark::Tiles(tiles)] = &figure.layers[0].marks[..] else { panic!("tiles alone") };
        assert_eq!((tiles.cells.as_str(), tiles.wide), ("fkk.f.affah...d", 1));
        assert_eq!(figure.layers[1].marks, [Mark::Rule { at: 1.5, width: 6 }]);
        // Three bands, and each has a tooltip where a run has a curve.
        assert_eq!(figure.layers[0].aims.len(), ratios.iter().flatten().flatten().count());
        assert!(figure.layers[0].aims.iter().any(|aim| aim.lines[1] == "64 B to 1 KiB: 0.500"));
    }

    #[test]
    fn the_scale_is_as_wide_as_nearly_all_cells_need() {
        let grid = |ratios: Vec<f64>| Grid {
            columns: Vec::new(),
            rows: Vec::new(),
            ratios: vec![ratios.into_iter().map(Some).collect()],
            reference: String::new(),
        };
        let last = |ratios: Vec<f64>| scale(&[&grid(ratios)])[4];
        assert_eq!(last(vec![1.0; 100]), 1.05);
        assert_eq!(last([vec![1.0; 60], vec![1.12; 40]].concat()), 1.2);
        assert_eq!(last([vec![1.0; 60], vec![0.3; 40]].concat()), 5.0);
        assert_eq!(last([vec![1.0; 99], vec![9.0]].concat()), 1.05, "a lone cell does not press the others");
        assert_eq!(last(vec![1e9]), 20.0);
        assert_eq!(scale(&[]), SCALES[0]);
    }
}
