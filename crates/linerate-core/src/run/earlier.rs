//! What files of earlier formats leave unsaid.

use super::Run;
use crate::plan::{Asked, Load};

impl Run {
    /// Gives each transfer its load, which formats 1 and 2 leave to the plan: they have the phases of
    /// `linerate rr` in their order, and name the row of a table in the label.
    pub(super) fn give_loads(&mut self) {
        let loads = self.plan.loads().unwrap_or_default();
        for (at, transfer) in self.traffic.iter_mut().enumerate() {
            let Some(planned) = loads.get(at).or(loads.first()) else { return };
            if transfer.load != Load::default() {
                continue;
            }
            transfer.load = row(planned, &transfer.label).unwrap_or_else(|| planned.load.clone());
        }
    }
}

/// The load of the table's row that `label` names, such as `buffers=64 KiB messages=4 KiB`.
fn row(planned: &Asked, label: &str) -> Option<Load> {
    let mut pairs: Vec<(&str, String)> = Vec::new();
    for word in label.split_whitespace() {
        match (word.split_once('='), pairs.last_mut()) {
            (Some((key, value)), _) => pairs.push((key, value.to_owned())),
            (None, Some((_, value))) => value.push_str(word),
            (None, None) => return None,
        }
    }
    let asked = pairs.into_iter().try_fold(planned.clone(), |asked, (key, value)| asked.with(key, &value));
    asked.ok().map(|asked| asked.load)
}

#[cfg(test)]
mod tests {
    use crate::plan::Plan;
    use crate::units::Size;

    use super::*;

    #[test]
    fn a_label_names_its_row() {
        let plan = Plan::from_toml("[stream]\nflows = 2").expect("a plan");
        let planned = &plan.loads().expect("a load")[0];
        let load = row(planned, "buffers=64 KiB messages=4 KiB").expect("a row");
        assert_eq!(load.socket.rcvbuf, Some(Size(64 << 10)));
        let stream = load.stream.expect("bulk");
        assert_eq!((stream.message, stream.flows), (Some(Size(4 << 10)), 2));
        assert_eq!(row(planned, "").as_ref(), Some(&planned.load));
        assert_eq!((row(planned, "colours=1"), row(planned, "KiB")), (None, None));
    }
}
