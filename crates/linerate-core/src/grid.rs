//! Keys, their values, and every combination of these, for tables, sweeps and loops over
//! conditions.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A key and the values that it takes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String", bound(serialize = "V: Clone, Axis<V>: fmt::Display"))]
#[serde(bound(deserialize = "Axis<V>: FromStr<Err = AxisError>"))]
pub struct Axis<V = String> {
    /// What is varied.
    pub key: String,
    /// Its values, in their order; at least one.
    pub values: Vec<V>,
}

/// Every combination of the values of some keys.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent, bound(serialize = "Axis<V>: Serialize", deserialize = "Axis<V>: Deserialize<'de>"))]
pub struct Grid<V = String> {
    axes: Vec<Axis<V>>,
}

/// Why a text is not an axis.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not KEY=A,B,..")]
pub struct AxisError {
    text: String,
}

/// Why axes do not make a grid: a key is there twice.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{key}` is given twice; give all its values at once")]
pub struct TwiceError {
    /// The key.
    pub key: String,
}

impl<V> Default for Grid<V> {
    fn default() -> Self {
        Self { axes: Vec::new() }
    }
}

impl<V: Clone> Grid<V> {
    /// The grid of `axes`. Without axes it has one cell without values.
    ///
    /// # Errors
    ///
    /// When two axes have the same key.
    pub fn new(axes: Vec<Axis<V>>) -> Result<Self, TwiceError> {
        let twice =
            axes.iter().enumerate().find(|(at, axis)| axes[..*at].iter().any(|other| other.key == axis.key));
        match twice {
            Some((_, axis)) => Err(TwiceError { key: axis.key.clone() }),
            None => Ok(Self { axes }),
        }
    }

    /// What is varied, in its order.
    #[must_use]
    pub fn axes(&self) -> &[Axis<V>] {
        &self.axes
    }

    /// Whether nothing is varied.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.axes.is_empty()
    }

    /// How many combinations there are. Absent if the number overflows.
    #[must_use]
    pub fn count(&self) -> Option<usize> {
        self.axes.iter().try_fold(1_usize, |count, axis| count.checked_mul(axis.values.len()))
    }

    /// Every combination: a value for each axis, the last axis changing first.
    ///
    /// ```
    /// use linerate_core::grid::{Axis, Grid};
    ///
    /// let grid = Grid::new(vec!["mtu=1500,9000".parse::<Axis>()?, "flows=1,4".parse::<Axis>()?])?;
    /// assert_eq!(grid.cells()[1], ["1500", "4"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn cells(&self) -> Vec<Vec<V>> {
        self.ordered(|_| false)
    }

    /// The same combinations there and back: each axis runs backwards every other time, so that only
    /// one value changes from a cell to the next. What drifts slowly then does not look like a key.
    #[must_use]
    pub fn there_and_back(&self) -> Vec<Vec<V>> {
        self.ordered(|pass| pass % 2 == 1)
    }

    /// Every combination; on which of its passes each axis runs backwards, `back` says.
    fn ordered(&self, back: impl Fn(usize) -> bool) -> Vec<Vec<V>> {
        self.axes.iter().fold(vec![Vec::new()], |cells, axis| {
            let extended = cells.iter().enumerate().flat_map(|(pass, cell)| {
                let mut values = axis.values.clone();
                if back(pass) {
                    values.reverse();
                }
                values.into_iter().map(|value| [cell.as_slice(), &[value]].concat())
            });
            extended.collect()
        })
    }
}

impl Axis {
    /// The same axis with each of its values as `read` understands it.
    ///
    /// # Errors
    ///
    /// That of the first value that `read` refuses.
    pub fn read<V, E>(self, read: impl FnMut(&str) -> Result<V, E>) -> Result<Axis<V>, E> {
        let values = self.values.iter().map(String::as_str).map(read).collect::<Result<_, _>>()?;
        Ok(Axis { key: self.key, values })
    }
}

impl FromStr for Axis {
    type Err = AxisError;

    /// Reads `KEY=A,B,..`; commas within brackets and quotes are part of a value.
    fn from_str(text: &str) -> Result<Self, AxisError> {
        let halves = text.split_once('=').map(|(key, list)| (key.trim(), list.trim()));
        let Some((key, list)) = halves.filter(|(key, list)| !key.is_empty() && !list.is_empty()) else {
            return Err(AxisError { text: text.to_owned() });
        };
        let values = items(list).into_iter().map(|value| value.trim().to_owned()).collect();
        Ok(Self { key: key.to_owned(), values })
    }
}

impl<V: fmt::Display> fmt::Display for Axis<V> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values: Vec<String> = self.values.iter().map(ToString::to_string).collect();
        write!(out, "{}={}", self.key, values.join(","))
    }
}

impl<V> TryFrom<String> for Axis<V>
where
    Self: FromStr<Err = AxisError>,
{
    type Error = AxisError;

    fn try_from(text: String) -> Result<Self, AxisError> {
        text.parse()
    }
}

impl<V> From<Axis<V>> for String
where
    Axis<V>: fmt::Display,
{
    fn from(axis: Axis<V>) -> Self {
        axis.to_string()
    }
}

/// Splits `list` at its commas, except those within brackets and quotes.
fn items(list: &str) -> Vec<&str> {
    let (mut depth, mut quote, mut from) = (0_i32, None, 0);
    let mut items = Vec::new();
    for (at, c) in list.char_indices() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '[' | '{') => depth += 1,
            (None, ']' | '}') => depth -= 1,
            (None, ',') if depth == 0 => {
                items.push(&list[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    items.push(&list[from..]);
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(axes: &[&str]) -> Vec<String> {
        let axes = axes.iter().map(|axis| axis.parse().expect("an axis")).collect();
        let grid: Grid = Grid::new(axes).expect("a grid");
        assert_eq!(grid.count(), Some(grid.cells().len()));
        grid.cells().into_iter().map(|cell| cell.join(" ")).collect()
    }

    #[test]
    fn the_last_key_changes_first() {
        assert_eq!(cells(&["frame=64,1518", "seed=1, 2"]), ["64 1", "64 2", "1518 1", "1518 2"]);
        assert_eq!(cells(&[]), [""]);
    }

    #[test]
    fn there_and_back_one_value_changes_at_a_time() {
        let axis = |key: &str, values: &[u32]| Axis { key: key.to_owned(), values: values.to_vec() };
        let grid = Grid::new(vec![axis("pass", &[0, 1]), axis("mtu", &[1, 2]), axis("seed", &[7, 8])]);
        let cells = grid.expect("a grid").there_and_back();
        let order: [[u32; 3]; 8] =
            [[0, 1, 7], [0, 1, 8], [0, 2, 8], [0, 2, 7], [1, 2, 7], [1, 2, 8], [1, 1, 8], [1, 1, 7]];
        assert_eq!(cells, order);
    }

    #[test]
    fn commas_within_a_value_do_not_part_it() {
        assert_eq!(cells(&["frame=64,[[64, 7], [1518, 1]]"]), ["64", "[[64, 7], [1518, 1]]"]);
        assert_eq!(cells(&["about='a, b',c,{d = 1, e = 2}"]), ["'a, b'", "c", "{d = 1, e = 2}"]);
    }

    #[test]
    fn values_are_read_by_their_type() {
        let axis: Axis = "seed=1,2".parse().expect("an axis");
        assert_eq!(axis.read(str::parse::<u32>), Ok(Axis { key: "seed".to_owned(), values: vec![1, 2] }));
        let axis: Axis = "seed=1,x".parse().expect("an axis");
        assert!(axis.read(str::parse::<u32>).is_err());
    }

    #[test]
    fn a_grid_survives_its_text() {
        let axes =
            vec!["buffers=auto,8KiB".parse().expect("an axis"), "messages=1".parse().expect("an axis")];
        let grid: Grid = Grid::new(axes).expect("a grid");
        let text = serde_json::to_string(&grid).expect("JSON");
        assert_eq!(text, r#"["buffers=auto,8KiB","messages=1"]"#);
        assert_eq!(serde_json::from_str::<Grid>(&text).expect("a grid"), grid);
    }

    #[test]
    fn what_is_no_axis_or_no_grid_is_refused() {
        for text in ["", "key", "=1", "key=", " = "] {
            assert_eq!(text.parse::<Axis>(), Err(AxisError { text: text.to_owned() }));
        }
        let twice: Result<Grid, _> =
            Grid::new(vec!["a=1".parse().expect("an axis"), "a=2".parse().expect("an axis")]);
        assert_eq!(twice, Err(TwiceError { key: "a".to_owned() }));
    }
}
