//! The points of a sweep: every combination of the values of some keys.

use linerate_core::grid::{self, Axis, TwiceError};
use linerate_sim::model::check_load;
use linerate_sim::plan::{ModelError, ModelPlan};
use toml::Value;

use crate::error::{GridError, MOST_RUNS};
use crate::keys::{Keys, chooses, value};
use crate::study::{Named, PLAN, value_text};

/// A plan at every point of a sweep.
#[derive(Debug)]
pub struct Grid {
    /// What is swept, as paths in the plan.
    pub keys: Vec<String>,
    /// The last key changes first. Without a key there is one.
    pub points: Vec<Cell>,
}

/// A point of the grid.
#[derive(Debug)]
pub struct Cell {
    /// A value for each key.
    pub set: Vec<Value>,
    /// The plan with these values.
    pub plan: ModelPlan,
}

/// `plan` with the values of `settings`, each `KEY=VALUE`. After another medium, host or kernel come
/// its keys.
///
/// # Errors
///
/// The first setting that cannot be read, names no key, or gives it a value that it cannot have.
pub fn changed(plan: &ModelPlan, settings: &[String]) -> Result<ModelPlan, GridError> {
    let mut keys = Keys::of(plan);
    let mut changes: Vec<(String, Value)> = Vec::new();
    let apply = |keys: &Keys, changes: &[(String, Value)]| {
        let changes: Vec<(&str, &Value)> = changes.iter().map(|(key, value)| (key.as_str(), value)).collect();
        keys.with(&changes)
    };
    for setting in settings {
        let (key, text) = split(setting).ok_or_else(|| GridError::Setting { text: setting.clone() })?;
        let key = keys.resolve(key)?;
        let chooses = chooses(&key);
        changes.push((key, value(text)?));
        if chooses {
            keys = Keys::of(&apply(&keys, &changes)?);
            changes.clear();
        }
    }
    apply(&keys, &changes)
}

impl Grid {
    /// Every combination of the values of `sweeps`, each `KEY=A,B,..`, and each checked; `seeds` runs of
    /// each are meant.
    ///
    /// # Errors
    ///
    /// A sweep that cannot be read, names no key or one twice; a plan that cannot be built; more
    /// runs than one command may have.
    pub fn of(plan: &ModelPlan, sweeps: &[String], seeds: usize) -> Result<Self, GridError> {
        let known = Keys::of(plan);
        let axis = |sweep: &String| {
            let axis = sweep.parse::<Axis>().map_err(|_| GridError::Sweep { text: sweep.clone() })?;
            let axis = axis.read(value)?;
            Ok(Axis { key: known.resolve(&axis.key)?, ..axis })
        };
        let axes = sweeps.iter().map(axis).collect::<Result<Vec<Axis<Value>>, GridError>>()?;
        let grid = grid::Grid::new(axes).map_err(|TwiceError { key }| GridError::Twice { key })?;
        let runs = grid.count().and_then(|cells| cells.checked_mul(seeds));
        if runs.is_none_or(|runs| runs > MOST_RUNS) {
            return Err(GridError::TooMany { runs });
        }
        let keys: Vec<String> = grid.axes().iter().map(|axis| axis.key.clone()).collect();
        let points = grid.cells().into_iter().map(|set| cell(&known, &keys, set));
        Ok(Self { points: points.collect::<Result<_, _>>()?, keys })
    }

    /// The same of every plan, one after the other; of several, the first key says which.
    ///
    /// # Errors
    ///
    /// As for one plan, or if a swept key means something else in another plan.
    pub fn across(plans: &[Named], sweeps: &[String], seeds: usize) -> Result<Self, GridError> {
        if let [only] = plans {
            return Self::of(&only.plan, sweeps, seeds);
        }
        let mut all = Self { keys: Vec::new(), points: Vec::new() };
        for Named { name, plan } in plans {
            let of = format!(" with {PLAN} = {name}");
            let grid = Self::of(plan, sweeps, seeds).map_err(|error| error.of_plan(&of))?;
            let keys = [vec![PLAN.to_owned()], grid.keys].concat();
            if !all.keys.is_empty() && all.keys != keys {
                return Err(GridError::Differ { key: all.keys.join(", "), other: keys.join(", ") });
            }
            all.keys = keys;
            let named = Value::String(name.clone());
            let cell = |cell: Cell| Cell { set: [vec![named.clone()], cell.set].concat(), ..cell };
            all.points.extend(grid.points.into_iter().map(cell));
        }
        let runs = all.points.len() * seeds;
        if runs > MOST_RUNS { Err(GridError::TooMany { runs: Some(runs) }) } else { Ok(all) }
    }

    /// A plan for every run: each point with all seeds in turn.
    pub fn plans(&self, seeds: usize) -> Vec<ModelPlan> {
        let seeded = |plan: &ModelPlan, nth: usize| ModelPlan {
            seed: plan.seed.wrapping_add(nth as u64),
            ..plan.clone()
        };
        self.points.iter().flat_map(|cell| (0..seeds).map(move |nth| seeded(&cell.plan, nth))).collect()
    }

    /// Why the point of this number cannot be built.
    pub fn refused(&self, point: usize, source: ModelError) -> GridError {
        GridError::Model { with: with(&self.keys, &self.points[point].set), source }
    }
}

fn cell(known: &Keys, keys: &[String], set: Vec<Value>) -> Result<Cell, GridError> {
    let changes: Vec<(&str, &Value)> = keys.iter().map(String::as_str).zip(&set).collect();
    let plan = known.with(&changes)?;
    check_load(&plan).map_err(|source| GridError::Model { with: with(keys, &set), source })?;
    Ok(Cell { set, plan })
}

/// ` with stations = 4`, for a message. Empty without values.
fn with(keys: &[String], set: &[Value]) -> String {
    let pairs: Vec<String> =
        keys.iter().zip(set).map(|(key, value)| format!("{key} = {}", value_text(value))).collect();
    if pairs.is_empty() { String::new() } else { format!(" with {}", pairs.join(", ")) }
}

/// Both sides of the first `=`, if there is something on each.
fn split(text: &str) -> Option<(&str, &str)> {
    let halves = text.split_once('=').map(|(key, value)| (key.trim(), value.trim()));
    halves.filter(|(key, value)| !key.is_empty() && !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sets(sweeps: &[&str]) -> Vec<String> {
        let sweeps: Vec<String> = sweeps.iter().map(|sweep| (*sweep).to_owned()).collect();
        let grid = Grid::of(&ModelPlan::default(), &sweeps, 1).expect("a grid");
        grid.points
            .iter()
            .map(|point| point.set.iter().map(value_text).collect::<Vec<_>>().join(" "))
            .collect()
    }

    #[test]
    fn the_last_key_changes_first() {
        assert_eq!(sets(&["frame=64,1518", "seed=1,2"]), ["64 1", "64 2", "1518 1", "1518 2"]);
        assert_eq!(sets(&[]), [""]);
    }

    #[test]
    fn after_another_medium_its_own_keys_are_known() {
        let plan = changed(&ModelPlan::default(), &["medium=atm".to_owned(), "queue-cells=64".to_owned()]);
        let plan = plan.expect("a plan").to_toml();
        assert!(plan.contains("queue-cells = 64"), "{plan}");
        assert!(changed(&ModelPlan::default(), &["queue-cells=64".to_owned()]).is_err());
    }

    #[test]
    fn several_plans_are_one_grid_whose_first_key_is_the_plan() {
        let named = |name: &str, network: &str| {
            let plan =
                ModelPlan::from_toml(&format!("network = {{ medium = '{network}' }}")).expect("a plan");
            Named { name: name.to_owned(), plan }
        };
        let plans = [named("one", "ethernet"), named("other", "fddi")];
        let grid = Grid::across(&plans, &["packet=64,1500".to_owned()], 2).expect("a grid");
        assert_eq!(grid.keys, ["plan", "load.packet"]);
        let sets = |point: &Cell| point.set.iter().map(value_text).collect::<Vec<_>>().join(" ");
        assert_eq!(
            grid.points.iter().map(sets).collect::<Vec<_>>(),
            ["one 64", "one 1500", "other 64", "other 1500"]
        );
        assert_eq!(grid.plans(2).len(), 8);
        assert_eq!(Grid::across(&plans[..1], &[], 1).expect("a grid").keys, [""; 0]);
        let error = Grid::across(&plans, &["packet=2000".to_owned()], 1).expect_err("above one MTU");
        assert!(
            error.to_string().starts_with("build the model with plan = one, load.packet = 2000: "),
            "{error}"
        );
    }

    #[test]
    fn commas_within_a_value_do_not_part_it() {
        assert_eq!(sets(&["frame=64,[[64, 7], [1518, 1]]"]), ["64", "[[64, 7], [1518, 1]]"]);
        assert_eq!(sets(&["about='a, b',c"]), ["a, b", "c"]);
    }

    fn refused<T: std::fmt::Debug>(result: Result<T, GridError>) -> String {
        result.expect_err("it is refused").to_string()
    }

    fn set(settings: &[&str]) -> Result<ModelPlan, GridError> {
        let settings: Vec<String> = settings.iter().map(|setting| (*setting).to_owned()).collect();
        changed(&ModelPlan::default(), &settings)
    }

    #[test]
    fn a_setting_is_a_key_and_a_value() {
        let plan = set(&[" seed = 7 ", "stations=3"]).expect("a plan");
        assert_eq!((plan.seed, plan.network.stations()), (7, 3));
        for setting in ["seed", "seed=", "=7", " = "] {
            assert_eq!(refused(set(&[setting])), format!("understand --set `{setting}`"));
        }
        assert_eq!(refused(set(&["speed=7"])), "find the key `speed` in the plan");
        let many = refused(set(&["seed=1", "stations=many"]));
        assert!(many.starts_with("build the model with seed = 1, network.stations = many: "), "{many}");
    }

    #[test]
    fn the_last_of_two_settings_of_a_key_counts() {
        assert_eq!(set(&["seed=1", "seed=2"]).expect("a plan").seed, 2);
        let plan = set(&["medium=atm", "stations=3", "medium=ethernet"]).expect("a plan");
        assert_eq!(
            (plan.network.medium(), plan.network.stations()),
            ("ethernet", 3),
            "stations mean the same"
        );
    }

    fn grid(sweeps: &[&str], seeds: usize) -> Result<Grid, GridError> {
        let sweeps: Vec<String> = sweeps.iter().map(|sweep| (*sweep).to_owned()).collect();
        Grid::of(&ModelPlan::default(), &sweeps, seeds)
    }

    #[test]
    fn a_sweep_that_makes_no_sense_is_refused() {
        assert_eq!(refused(grid(&["frame"], 1)), "understand --sweep `frame`");
        assert_eq!(refused(grid(&["speed=1,2"], 1)), "find the key `speed` in the plan");
        assert_eq!(refused(grid(&["frame=64", "load.frame=512"], 1)), "sweep: `load.frame` is swept twice");
        let large = refused(grid(&["seed=1", "frame=64,70000"], 1));
        assert!(large.starts_with("build the model with seed = 1, load.frame = 70000: "), "{large}");
    }

    /// Ten thousand, whatever makes them.
    #[test]
    fn a_command_has_so_many_runs_and_no_more() {
        assert_eq!(grid(&[], 10_000).expect("as many as there may be").plans(10_000).len(), 10_000);
        assert!(refused(grid(&[], 10_001)).contains("that is 10001 runs"));
        assert!(refused(grid(&["seed=1,2"], 5_001)).contains("that is 10002 runs"));
        assert!(refused(grid(&["seed=1,2"], usize::MAX)).contains("countless"));
        let named = |name: &str| Named { name: name.to_owned(), plan: ModelPlan::default() };
        let plans = [named("a"), named("b")];
        assert_eq!(Grid::across(&plans, &[], 5_000).expect("ten thousand").points.len(), 2);
        assert!(refused(Grid::across(&plans, &[], 5_001)).contains("that is 10002 runs"));
    }

    #[test]
    fn the_seeds_of_a_point_follow_each_other() {
        let seeds: Vec<u64> =
            grid(&["seed=5,9"], 3).expect("a grid").plans(3).iter().map(|plan| plan.seed).collect();
        assert_eq!(seeds, [5, 6, 7, 9, 10, 11]);
    }

    #[test]
    fn a_point_that_cannot_be_built_is_named_by_its_values() {
        let why =
            || check_load(&set(&["frame=70000"]).expect("it is well formed")).expect_err("it is too large");
        let grid = grid(&["frame=64,512", "seed=1,2"], 1).expect("a grid");
        let said = grid.refused(2, why()).to_string();
        assert!(said.starts_with("build the model with load.frame = 512, seed = 1: "), "{said}");
        let said = self::grid(&[], 1).expect("a grid").refused(0, why()).to_string();
        assert!(said.starts_with("build the model: "), "{said}");
    }

    /// The one plan has a calibrated host of its own at each end, the other a peer.
    #[test]
    fn a_key_that_means_something_else_in_another_plan_is_refused() {
        let named = |table: &str| {
            let text = format!("[{table}]\nprofile = 'pentium-ii-350'\n[{table}.adaptor]\nreceive-ring = 64");
            Named { name: table.to_owned(), plan: ModelPlan::from_toml(&text).expect("a plan") }
        };
        let plans = [named("host"), named("peer")];
        let error = Grid::across(&plans, &["receive-ring=32".to_owned()], 1);
        assert_eq!(
            refused(error),
            "sweep several plans at once: one has plan, host.adaptor.receive-ring, \
             another plan, peer.adaptor.receive-ring"
        );
    }
}
