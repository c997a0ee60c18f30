//! Single messages of a size: the quickest, the middle one, and one that only a hundredth exceeds.

use linerate_analysis::report::TraceRow;
use linerate_core::trace::{Message, Point, Stage};

use super::words::us;
use crate::figure::axis::times_from_zero;
use crate::figure::{Aim, Figure, Layer, Title};
use crate::plot::{Axis, Mark, Scale};

/// Half the height of a bar, as a share of the distance of two rows.
const HALF_BAR: f64 = 0.36;
/// What the rows are, from the top.
const ROWS: [&str; 3] = ["quickest", "middle", "slow"];

/// A stage of one of the messages. Unit: us since the call.
struct Piece {
    row: usize,
    point: Point,
    from: f64,
    to: f64,
    lines: Vec<String>,
}

/// Three of `messages`, of which `row` is the account, as bars of stages. Absent without messages.
pub(super) fn figure(row: &TraceRow, messages: &[Message], title: Title) -> Option<Figure> {
    let mut sorted: Vec<&Message> = messages.iter().filter(|message| !message.retransmitted).collect();
    sorted.sort_by_key(|message| message.taken_ns);
    let last = sorted.len().checked_sub(1)?;
    let shown = [sorted[0], sorted[last / 2], sorted[last - last / 100]];
    let points: Vec<Point> = row.stages.iter().map(|stage| stage.to).collect();
    let pieces: Vec<Piece> =
        shown.iter().enumerate().flat_map(|(nth, message)| pieces(nth, message, &points)).collect();
    let x = times_from_zero("Time since the call", last_us(&shown));
    let places: Vec<f64> = (0..ROWS.len()).map(|nth| nth as f64).collect();
    let name = |value: f64| ROWS.get(ROWS.len() - 1 - value.round() as usize).unwrap_or(&"").to_string();
    let ends = [-0.5, ROWS.len() as f64 - 0.5];
    let y = Axis::new("Message".to_owned(), Scale::Linear, ends, &places, name);
    let name_of = |point: Point| {
        let stage = row.stages.iter().find(|stage| stage.to == point);
        stage.map_or_else(|| point.work().to_owned(), Stage::work)
    };
    let layer = |(index, point): (usize, &Point)| {
        let (mut marks, mut aims) = (Vec::new(), Vec::new());
        for piece in pieces.iter().filter(|piece| piece.point == *point) {
            let middle = (ROWS.len() - 1 - piece.row) as f64;
            let corners = [(piece.from, middle - HALF_BAR), (piece.to, middle + HALF_BAR)];
            marks.push(Mark::bar(corners, super::bars::shade(index)));
            let place = (f64::midpoint(piece.from, piece.to), middle);
            aims.push(Aim::at([&x, &y], place, piece.lines.clone()));
        }
        Layer::new((index, name_of(*point)), [&x, &y], marks, aims)
    };
    let of_message = |point: &&Point| pieces.iter().any(|piece| piece.point == **point);
    let drawn: Vec<&Point> = points.iter().filter(of_message).collect();
    Some(Figure::new(title, [&x, &y], drawn.into_iter().enumerate().map(layer).collect()))
}

fn last_us(shown: &[&Message]) -> f64 {
    shown.iter().map(|message| message.taken_ns.max(0) as f64 / 1e3).fold(0.0, f64::max)
}

/// The stages of one message, those between `points`.
fn pieces(row: usize, message: &Message, points: &[Point]) -> Vec<Piece> {
    let mut from = 0;
    let mut pieces = Vec::new();
    for point in points {
        let Some(to) = message.at(*point) else { continue };
        let lines = vec![
            format!("{} message, no. {}", ROWS[row], message.number),
            format!("{}: {} us", point.work(), us(to - from)),
            format!("from {} to {} us since the call", us(from), us(to)),
        ];
        // What goes backwards within the clocks' uncertainty has no width.
        let ends = [from, to].map(|ns| ns.max(0) as f64 / 1e3);
        pieces.push(Piece { row, point: *point, from: ends[0], to: ends[1].max(ends[0]), lines });
        from = to;
    }
    pieces
}
