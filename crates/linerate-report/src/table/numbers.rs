//! The rows of a curve in columns.

use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, ContentArrangement, Table};
use linerate_analysis::report::{CurvePoint, Timed};

use super::super::text::{columns, digits, percent};

/// Where the size of an unsettled row is marked.
const MARK: &str = "*";
/// Where a size was not timed.
const GAP: &str = "-";

/// A column: its heading and what it shows of a row.
struct Column {
    heading: &'static str,
    show: fn(&Timed) -> Option<String>,
    /// Whether decimal points stand under each other.
    aligned: bool,
    /// The highest is left out first on a narrow terminal; 0 is never left out.
    expendable: u8,
}

const COLUMNS: [Column; 14] = [
    Column { heading: "median us", show: |row| Some(digits(row.median_us)), aligned: true, expendable: 0 },
    Column {
        heading: "95 % from",
        show: |row| row.interval_us.map(|ends| digits(ends[0])),
        aligned: true,
        expendable: 1,
    },
    Column {
        heading: "to",
        show: |row| row.interval_us.map(|ends| digits(ends[1])),
        aligned: true,
        expendable: 1,
    },
    Column { heading: "least us", show: |row| Some(digits(row.min_us)), aligned: true, expendable: 4 },
    Column { heading: "p99 us", show: |row| Some(digits(row.p99_us)), aligned: true, expendable: 2 },
    Column { heading: "longest us", show: |row| Some(digits(row.max_us)), aligned: true, expendable: 4 },
    Column { heading: "Mb/s", show: |row| Some(digits(row.mbps)), aligned: true, expendable: 0 },
    Column {
        heading: "95 % from",
        show: |row| row.mbps_interval.map(|ends| digits(ends[0])),
        aligned: true,
        expendable: 6,
    },
    Column {
        heading: "to",
        show: |row| row.mbps_interval.map(|ends| digits(ends[1])),
        aligned: true,
        expendable: 6,
    },
    Column { heading: "of link", show: |row| row.link_share.map(percent), aligned: false, expendable: 3 },
    Column { heading: "samples", show: |row| Some(row.samples.to_string()), aligned: false, expendable: 5 },
    Column { heading: "rounds", show: |row| Some(row.rounds.to_string()), aligned: false, expendable: 5 },
    Column { heading: "batch", show: |row| Some(row.batch.to_string()), aligned: false, expendable: 7 },
    Column {
        heading: "",
        show: |row| (!row.settled).then(|| MARK.to_owned()),
        aligned: false,
        expendable: 0,
    },
];

/// How a table is fitted into a width.
struct Layout {
    /// Columns this expendable or more are left out.
    cut: u8,
    /// Whether decimal points stand under each other, which costs room.
    aligned: bool,
}

/// The layouts from the best to the narrowest.
const LAYOUTS: [Layout; 9] = [
    Layout { cut: 8, aligned: true },
    Layout { cut: 7, aligned: true },
    Layout { cut: 6, aligned: true },
    Layout { cut: 5, aligned: true },
    Layout { cut: 4, aligned: true },
    Layout { cut: 4, aligned: false },
    Layout { cut: 3, aligned: false },
    Layout { cut: 2, aligned: false },
    Layout { cut: 1, aligned: false },
];

/// These points of a curve, in the best layout that `width` holds.
pub(super) fn rows(points: &[&CurvePoint], width: usize) -> String {
    let fits = |text: &String| text.lines().all(|line| columns(line) <= width);
    let mut tables = LAYOUTS.iter().map(|layout| lay_out(points, layout));
    let narrowest = || lay_out(points, &LAYOUTS[LAYOUTS.len() - 1]);
    tables.find(fits).unwrap_or_else(narrowest)
}

fn lay_out(points: &[&CurvePoint], layout: &Layout) -> String {
    let mut table = Table::new();
    table.load_style(NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    let mut cells = vec![size_column(points)];
    for column in COLUMNS.iter().filter(|column| column.expendable < layout.cut) {
        cells.extend(column_cells(points, column, layout.aligned && column.aligned));
    }
    let mut lines = (0..=points.len()).map(|row| cells.iter().map(move |column| column[row].clone()));
    table.set_header(lines.next().expect("the heading is a row"));
    table.add_rows(lines);
    for column in table.column_iter_mut() {
        column.set_padding((1, 0)).set_cell_alignment(CellAlignment::Right);
    }
    table.trim_fmt()
}

fn size_column(points: &[&CurvePoint]) -> Vec<String> {
    let sizes = points.iter().map(|point| point.size.to_string());
    std::iter::once("size B".to_owned()).chain(sizes).collect()
}

/// The heading and the cells of a column. Absent if all its cells are empty.
fn column_cells(points: &[&CurvePoint], column: &Column, aligned: bool) -> Option<Vec<String>> {
    let shown = points.iter().map(|point| point.timed.map(|timed| (column.show)(&timed)));
    let shown: Vec<Option<Option<String>>> = shown.collect();
    if !shown.iter().flatten().any(Option::is_some) {
        return None;
    }
    let decimals = |text: &str| text.split_once('.').map_or(0, |(_, decimals)| decimals.len() + 1);
    let most = shown.iter().flatten().flatten().map(|text| decimals(text)).max().filter(|_| aligned);
    let pad = |text: &str| match most {
        Some(most) => format!("{text}{:1$}", "", most.saturating_sub(decimals(text))),
        None => text.to_owned(),
    };
    let gap = if column.heading.is_empty() { "" } else { GAP };
    let cell = |shown: Option<Option<String>>| match shown {
        Some(text) => text.as_deref().map_or_else(String::new, pad),
        None => gap.to_owned(),
    };
    Some(std::iter::once(column.heading.to_owned()).chain(shown.into_iter().map(cell)).collect())
}

#[cfg(test)]
mod tests {
    use super::super::super::fixture;
    use super::*;

    /// Three sizes: one that has not settled, one with all figures, one that was not timed.
    fn points() -> Vec<CurvePoint> {
        let mut points = fixture::one().curves.remove(0).points;
        points.retain(|point| [1, 65_536, 196_608].contains(&point.size));
        points
    }

    fn table(width: usize) -> String {
        rows(&points().iter().collect::<Vec<_>>(), width)
    }

    #[test]
    fn decimal_points_stand_under_each_other_where_there_is_room() {
        insta::assert_snapshot!(format!("|\n{}", table(200)), @"
        |
         size B median us 95 % from     to least us p99 us longest us     Mb/s 95 % from       to of link samples rounds batch
              1     25.01     24.41  25.71    24.16  28.28      28.28   0.3199    0.3112   0.3278   0.0 %     700      7     1 *
          65536    588.6     585.1  592.7    579.2  652.0      652.0  890.7     884.5    896.1     89.1 %     700      7     1
         196608         -         -      -        -      -          -        -         -        -       -       -      -     -
        ");
    }

    #[test]
    fn columns_are_left_out_by_how_little_they_say() {
        let points = points();
        let table = |width| rows(&points.iter().collect::<Vec<_>>(), width);
        let headings = |width| {
            let table = table(width);
            table.lines().next().expect("a heading").split_whitespace().collect::<Vec<_>>().join(" ")
        };
        let whole = "size B median us 95 % from to least us p99 us longest us Mb/s 95 % from to of link samples \
             rounds batch";
        assert_eq!(headings(200), whole);
        let least = "size B median us Mb/s";
        assert_eq!(headings(40), least);
        assert_eq!(headings(1), least, "the numbers alone, however narrow it is");
        // Every width has the columns of the next narrower one.
        let mut before = least.to_owned();
        for width in 40..200 {
            let now = headings(width);
            assert!(before.split(' ').all(|word| now.contains(word)), "{width}: {now}");
            assert!(table(width).lines().all(|line| columns(line) <= width), "{width}");
            before = now;
        }
    }

    #[test]
    fn what_no_size_has_is_no_column() {
        let mut points = points();
        points.iter_mut().filter_map(|point| point.timed.as_mut()).for_each(|timed| timed.link_share = None);
        let table = rows(&points.iter().collect::<Vec<_>>(), 200);
        assert!(!table.contains("of link") && table.contains("p99 us"), "{table}");
    }
}
