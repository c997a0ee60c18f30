//! The table of a sweep.

use linerate_study::{Estimate, Measure, Point, Study, value_text};

use super::super::columns::Column;
use super::super::text::{digits, percent, plain};
use super::words::NOTHING;

/// A row for each point of the grid that was run.
pub(super) fn point_columns(study: &Study) -> Vec<Column> {
    let done: Vec<&Point> = study.points.iter().filter(|point| !point.runs.is_empty()).collect();
    let mut columns: Vec<Column> = Vec::new();
    for (nth, key) in study.keys.iter().enumerate() {
        let short = key.rsplit('.').next().unwrap_or(key);
        let cells = done.iter().map(|point| plain(&value_text(&point.set[nth]))).collect();
        columns.push(Column::new(short, 0, cells));
    }
    columns.push(Column::new("seeds", 2, done.iter().map(|point| point.runs.len().to_string()).collect()));
    let mut add = |heading: &str, expendable, name, show: &dyn Fn(Option<Estimate>) -> String| {
        let measure = Measure::named(name);
        let cells = done.iter().map(|point| show(point.estimate(measure))).collect();
        columns.push(Column::new(heading, expendable, cells));
    };
    let mean = |estimate: Option<Estimate>| known(estimate.map(|estimate| digits(estimate.mean)));
    let share = |estimate: Option<Estimate>| known(estimate.map(|estimate| percent(estimate.mean)));
    let half = |estimate: Option<Estimate>| known(estimate.and_then(|it| it.half_width).map(digits));
    let half_share = |estimate: Option<Estimate>| known(estimate.and_then(|it| it.half_width).map(percent));
    let index = |estimate: Option<Estimate>| known(estimate.map(|it| format!("{:.4}", it.mean)));
    add("Mb/s", 0, "throughput_mbps", &mean);
    add("+-", 5, "throughput_mbps", &half);
    add("efficiency", 1, "efficiency", &share);
    add("+-", 3, "efficiency", &half_share);
    add("goodput", 2, "goodput_mbps", &mean);
    add("Jain", 3, "jain", &index);
    add("collisions/frame", 3, "collisions_per_frame", &mean);
    add("lost", 1, "lost_share", &share);
    add("lost excessive", 4, "lost_share_excessive_collisions", &share);
    add("lost late", 4, "lost_share_late_collision", &share);
    add("lost overflow", 4, "lost_share_overflow", &share);
    add("lost error", 4, "lost_share_error", &share);
    add("p50 us", 6, "delay_p50_us", &mean);
    add("p99 us", 2, "delay_p99_us", &mean);
    add("PAUSE", 5, "pause_sent", &mean);
    let framing = |point: &&Point| known(point.ceiling.map(|ceiling| percent(ceiling.framing)));
    columns.push(Column::new("at most", 5, done.iter().map(framing).collect()));
    columns
}

fn known(text: Option<String>) -> String {
    text.unwrap_or_else(|| NOTHING.to_owned())
}
