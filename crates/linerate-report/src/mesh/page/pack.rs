//! Every value of a mesh for the script of a page, in less than three bytes a pair.

use linerate_analysis::report::{MeshResult, MeshView};
use serde::Serialize;

use super::super::scale::Scale;
use super::super::words::{rank, shown, view_name};
use crate::error::RenderError;

/// Stands for what was not measured.
const NONE: u16 = u16::MAX;
/// The greatest number of a value.
const MOST: f64 = 65_534.0;
const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

#[derive(Serialize)]
struct Packed {
    /// The names of each mesh's ranks.
    meshes: Vec<Vec<String>>,
    views: Vec<View>,
}

#[derive(Serialize)]
struct View {
    mesh: usize,
    title: String,
    unit: &'static str,
    /// 1 where more is worse, -1 where less is.
    worse: i8,
    median: f64,
    /// The values of the numbers 0 and 65534. Between them numbers follow the logarithm, unless `low` is not above 0.
    low: f64,
    high: f64,
    /// Ends of the colours.
    best: f64,
    worst: f64,
    log: bool,
    /// By sender, then by receiver: 16 bits each, the lower byte first, as base64.
    cells: String,
}

/// The data of all meshes, safe inside a script element.
///
/// # Errors
///
/// [`RenderError::Json`] when they have no JSON form.
pub(super) fn data(meshes: &[MeshResult]) -> Result<String, RenderError> {
    let views = |(number, mesh): (usize, &MeshResult)| {
        mesh.views.iter().map(move |it| view(it, number)).collect::<Vec<_>>()
    };
    let packed = Packed {
        meshes: meshes.iter().map(|mesh| (0..mesh.ranks.len()).map(|of| rank(mesh, of)).collect()).collect(),
        views: meshes.iter().enumerate().flat_map(views).collect(),
    };
    Ok(serde_json::to_string(&packed)?.replace('<', "\\u003c"))
}

fn view(view: &MeshView, mesh: usize) -> View {
    let (scale, shown) = (Scale::of(view), shown(view));
    let [low, high] = [view.best.value.min(view.worst.value), view.best.value.max(view.worst.value)];
    let size = view.values.size();
    let cells = (0..size * size).map(|at| number(view.values.get(at / size, at % size), [low, high]));
    View {
        mesh,
        title: view_name(view),
        unit: shown.name(),
        worse: if view.unit.is_worse(1.0, 0.0) { 1 } else { -1 },
        median: shown.scaled(view.median),
        low: shown.scaled(low),
        high: shown.scaled(high),
        best: shown.scaled(scale.best),
        worst: shown.scaled(scale.worst),
        log: scale.is_logarithmic,
        cells: base64(&cells.flat_map(u16::to_le_bytes).collect::<Vec<u8>>()),
    }
}

fn number(value: Option<f64>, [low, high]: [f64; 2]) -> u16 {
    let Some(value) = value else { return NONE };
    let share = if low > 0.0 { (value / low).ln() / (high / low).ln() } else { (value - low) / (high - low) };
    // Both ends are alike: 0 of 0.
    if share.is_finite() { (share.clamp(0.0, 1.0) * MOST).round() as u16 } else { 0 }
}

/// RFC 4648, section 4.
fn base64(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let part = |nth: usize| u32::from(group.get(nth).copied().unwrap_or(0));
        let bits = part(0) << 16 | part(1) << 8 | part(2);
        for nth in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * nth) & 63) as usize];
            text.push(if nth <= group.len() { char::from(digit) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 4648, section 10.
    #[test]
    fn base64_is_that_of_the_rfc() {
        for (bytes, text) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")]
        {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }

    #[test]
    fn a_number_gives_its_value_back_to_a_thousandth() {
        let [low, high] = [0.5, 40_000.0];
        for value in [0.5, 0.7, 12.34, 9_412.0, 40_000.0] {
            let number = number(Some(value), [low, high]);
            let back = low * (high / low).powf(f64::from(number) / MOST);
            assert!((back / value - 1.0).abs() < 1e-3, "{value} {back}");
        }
        assert_eq!(number(None, [low, high]), NONE);
        assert_eq!(number(Some(3.0), [3.0, 3.0]), 0);
        assert_eq!(number(Some(0.0), [0.0, 0.0]), 0);
    }
}
