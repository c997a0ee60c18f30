//! The grid, labels and titles of a picture.

use std::fmt::Write as _;

use super::axis::Tick;
use super::frame::{Frame, LINE, along};
use super::words::{lines, width_of};
use super::{Axis, Spot, UNIT};
use crate::text::escaped;

/// Sizes of letters. Unit: quarter pixels.
const LABEL: i32 = 13 * UNIT as i32;
const TITLE: i32 = 14 * UNIT as i32;
/// Distance of two lines of a label.
const PITCH: i32 = LINE as i32 * UNIT as i32;
/// From the inside of a picture to a label, along and across.
const TICK: i32 = 7 * UNIT as i32;
const GAP: i32 = 3 * UNIT as i32;
/// Words nearer to each other than this are not all written.
const NEAR: i32 = 14 * UNIT as i32;
/// Most lines of a word.
const MOST: usize = 3;

/// Text at a spot; `anchor` is start, middle or end.
pub(crate) fn text((x, y): Spot, anchor: &str, text: &str) -> String {
    format!(
        "<text x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\" font-size=\"{LABEL}\" fill=\"currentColor\">\n{}\n</text>\n",
        escaped(text)
    )
}

/// Lines of text around a height.
fn stack((x, middle): Spot, anchor: &str, list: &[String]) -> String {
    let first = middle + LABEL / 3 - (list.len() as i32 - 1) * PITCH / 2;
    (0..).zip(list).map(|(nth, line)| text((x, first + nth * PITCH), anchor, line)).collect()
}

/// Every so many ticks that they are apart.
fn apart(ticks: &[Tick], place: impl Fn(f64) -> i32, room: i32) -> impl Iterator<Item = (usize, &Tick)> {
    let pitch = ticks
        .first()
        .zip(ticks.get(1))
        .map_or(room, |(one, other)| (place(one.value) - place(other.value)).abs().max(1));
    ticks.iter().enumerate().step_by((room as usize).div_ceil(pitch as usize).max(1))
}

/// Grid, labels and titles of a picture.
pub(crate) fn axes(axes: [&Axis; 2]) -> String {
    let ([x, y], frame, mut svg) = (axes, Frame::of(axes), String::new());
    let ([left, right], [bottom, top]) = (frame.across, frame.up);
    let [across, up] =
        [(x, frame.across), (y, frame.up)].map(|(axis, ends)| move |value: f64| along(axis, value, ends));
    let mut line = |from: Spot, to: Spot| {
        let _ = writeln!(
            svg,
            "<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"#DDDDDD\" stroke-width=\"{UNIT}\"/>",
            from.0, from.1, to.0, to.1
        );
    };
    line((left, bottom), (right, bottom));
    line((left, bottom), (left, top));
    // A map has no lines between its cells.
    let has_lines = x.words().is_none() || y.words().is_none();
    for tick in x.ticks.iter().filter(|_| has_lines) {
        line((across(tick.value), bottom + TICK), (across(tick.value), top));
    }
    for tick in y.ticks.iter().filter(|_| has_lines) {
        line((left - TICK, up(tick.value)), (right, up(tick.value)));
    }
    let below = bottom + TICK + GAP + LABEL * 4 / 5;
    match x.words() {
        None => {
            // What would touch the label before it is left out.
            let mut end = i32::MIN;
            for tick in &x.ticks {
                let (at, half) = (across(tick.value), (width_of(&tick.label) * f64::from(UNIT) / 2.0) as i32);
                if at - half > end {
                    svg.push_str(&text((at, below), "middle", &tick.label));
                    end = at + half + GAP;
                }
            }
        }
        Some(_) => apart(&x.ticks, across, 2 * NEAR).for_each(|(_, tick)| {
            for (nth, word) in (0..).zip(lines(&tick.label, frame.column, MOST)) {
                svg.push_str(&text((across(tick.value), below + nth * PITCH), "middle", &word));
            }
        }),
    }
    match y.words() {
        None => y.ticks.iter().for_each(|tick| {
            svg.push_str(&text((left - TICK - GAP, up(tick.value) + LABEL / 3), "end", &tick.label));
        }),
        Some(words) => apart(&y.ticks, up, NEAR).for_each(|(nth, tick)| {
            let at = up(tick.value);
            svg.push_str(&stack((left - TICK - GAP, at), "end", &lines(&tick.label, frame.names, MOST)));
            if let Some(said) = words.beside.get(nth) {
                svg.push_str(&stack((right + TICK + GAP, at), "start", &lines(said, frame.beside, MOST)));
            }
        }),
    }
    let _ = writeln!(
        svg,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\" font-size=\"{TITLE}\" fill=\"currentColor\">\n{}\n</text>",
        i32::midpoint(left, right),
        frame.height as i32 - 3 * UNIT as i32,
        escaped(&x.title)
    );
    if let Some(words) = y.words() {
        svg.push_str(&text((GAP, top - TITLE / 2), "start", &y.title));
        svg.push_str(&text((right + TICK + GAP, top - TITLE / 2), "start", words.over));
        return svg;
    }
    let (at, middle) = (TITLE + GAP, i32::midpoint(top, bottom));
    let _ = writeln!(
        svg,
        "<text x=\"{at}\" y=\"{middle}\" text-anchor=\"middle\" font-size=\"{TITLE}\" fill=\"currentColor\" transform=\"rotate(-90 {at} {middle})\">\n{}\n</text>",
        escaped(&y.title)
    );
    svg.trim_end().to_owned()
}
