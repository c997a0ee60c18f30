//! The settings of an experiment's hosts: changed for each cell, and put back in the end.

use linerate_analysis::experiment::{Bench, Conditions, ExperimentPlan, Granted, Target};
use linerate_net::settings::{HostLock, Outcome, Scope, Setting, SettingError, Value};

use super::there::There;
use crate::screen::note;
use crate::settings::{Held, lock};
use crate::trouble::Trouble;

/// What is set on the hosts.
pub(super) struct Hosts {
    here: Here,
    there: Option<There>,
    /// The interface of settings that do not name one.
    interface: Option<String>,
    name: String,
}

/// This host.
enum Here {
    /// Nothing of it is set, and nobody else measures on it; or all of it is modelled.
    Untouched {
        _lock: Option<HostLock>,
    },
    /// What is to be set is set before the first run, so that the journal is begun only then.
    Locked(HostLock),
    Held(Box<Held>),
}

impl Hosts {
    /// For an experiment of this name. One that measures is the only one on its host.
    pub(super) fn of(plan: &ExperimentPlan, name: &str) -> Result<Self, Trouble> {
        let what = format!("experiment {name}");
        let here = match (plan.is_modelled(), sets_here(plan)) {
            (true, _) => Here::Untouched { _lock: None },
            (false, false) => Here::Untouched { _lock: Some(lock(&what)?) },
            (false, true) => Here::Locked(lock(&what)?),
        };
        let there = There::of(&plan.bench, &what);
        Ok(Self { here, there, interface: interface(&plan.bench), name: what })
    }

    /// Sets what a cell needs; what earlier cells set and this one does not is put back.
    pub(super) fn apply(&mut self, conditions: &Conditions) -> Result<Vec<Granted>, Trouble> {
        let mut granted = self.apply_here(conditions)?;
        if let Some(there) = &mut self.there {
            granted.extend(there.apply(&conditions.there)?);
        }
        Ok(granted)
    }

    fn apply_here(&mut self, conditions: &Conditions) -> Result<Vec<Granted>, Trouble> {
        let wanted = wanted(conditions, self.interface.as_deref())?;
        if let Here::Locked(_) = &self.here {
            let untouched = Here::Untouched { _lock: None };
            let Here::Locked(lock) = std::mem::replace(&mut self.here, untouched) else {
                unreachable!("it was locked a line above")
            };
            self.here = Here::Held(Box::new(Held::with(lock, &self.name)?));
        }
        let Here::Held(held) = &mut self.here else { return Ok(Vec::new()) };
        let changes = held.apply(&wanted)?;
        let granted = wanted.iter().zip(changes).map(|((setting, _), (change, original))| Granted {
            host: "here".to_owned(),
            setting: setting.to_string(),
            asked: change.asked.to_string(),
            granted: change.granted.to_string(),
            original: original.to_string(),
        });
        Ok(granted.collect())
    }

    /// What somebody else changed since, if anything.
    pub(super) fn foreign(&mut self) -> Option<String> {
        let mut found = match &self.here {
            Here::Held(held) => held.foreign(),
            Here::Untouched { .. } | Here::Locked(_) => Vec::new(),
        };
        found.extend(self.there.as_mut().and_then(There::foreign));
        (!found.is_empty()).then(|| found.join("; "))
    }

    /// Puts everything back. The settings that are as before, and those that are not: host, name, whether.
    pub(super) fn restore(self) -> Vec<(String, String, bool)> {
        let here = match self.here {
            Here::Held(held) => held.restore().map(|outcomes| {
                let shown =
                    |outcome: &Outcome| ("here".to_owned(), outcome.setting.to_string(), outcome.is_done());
                outcomes.iter().map(shown).collect()
            }),
            Here::Untouched { .. } | Here::Locked(_) => Ok(Vec::new()),
        };
        let there = self.there.map_or_else(|| Ok(Vec::new()), There::restore);
        // One host that cannot be reached does not keep the other from being put back.
        let said = |trouble: Trouble| {
            note(trouble.as_caution());
            Vec::new()
        };
        [here.unwrap_or_else(said), there.unwrap_or_else(said)].concat()
    }
}

/// Whether any cell sets something of this host.
fn sets_here(plan: &ExperimentPlan) -> bool {
    let of_factors = plan
        .factor
        .iter()
        .flat_map(|factor| factor.key.iter().chain(factor.levels.iter().flat_map(|level| level.set.keys())));
    of_factors.chain(plan.bench.set.keys()).any(|key| matches!(key.parse(), Ok(Target::Here(_))))
}

/// The settings of a cell. What cannot be one is found before the first run, too.
pub(super) fn wanted(
    conditions: &Conditions,
    interface: Option<&str>,
) -> Result<Vec<(Setting, Value)>, Trouble> {
    let setting = |(name, value): &(String, String)| {
        let setting: Setting = name.parse().map_err(SettingError::Name)?;
        let setting =
            if setting.name.scope() == Scope::Interface { setting.or_of(interface) } else { setting };
        Ok((setting, Value::from(value.as_str())))
    };
    conditions.here.iter().map(setting).collect::<Result<_, SettingError>>().map_err(Trouble::from)
}

/// The interface that the bench names, else the only one that is up.
pub(super) fn interface(bench: &Bench) -> Option<String> {
    bench.interface.clone().or_else(|| match &linerate_net::settings::interfaces().unwrap_or_default()[..] {
        [only] => Some(only.clone()),
        _ => None,
    })
}
