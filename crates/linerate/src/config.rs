//! The configuration: which file it is, and what a command takes from it.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use linerate_core::config::{Config, Habits, Host, Section};
use linerate_core::plan::Layer;

use crate::input;
use crate::trouble::Trouble;

/// The configuration of the host, where the user has none.
const OF_HOST: &str = "/etc/linerate/config.toml";
/// Set for processes of linerate that carry out a plan that is complete already.
pub(crate) const NO_CONFIG: &str = "LINERATE_NO_CONFIG";
/// The profile, instead of --profile.
pub(crate) const PROFILE: &str = "LINERATE_PROFILE";

/// What a command may take beforehand: nothing, or a configuration with a profile of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sources {
    file: Option<Arc<File>>,
    profile: Option<String>,
}

#[derive(Debug)]
struct File {
    path: PathBuf,
    config: Config,
}

/// A host of the configuration that a command names.
pub(crate) struct Named<'a> {
    pub(crate) name: &'a str,
    pub(crate) host: &'a Host,
}

impl Sources {
    /// Reads the user's configuration, or else that of the host.
    pub(crate) fn read(profile: Option<&str>) -> Result<Self, Trouble> {
        let variable = |name: &str| std::env::var_os(name);
        let places = places(variable("XDG_CONFIG_HOME").as_deref(), variable("HOME").as_deref());
        let file = places.iter().find_map(|place| read(place).transpose()).transpose()?;
        let Some(profile) = profile else { return Ok(Self { file: file.map(Arc::new), profile: None }) };
        let Some(file) = file else {
            let all: Vec<_> = places.iter().map(|place| place.display().to_string()).collect();
            return Err(Trouble::new(
                format!("failed to find the profile {profile}: there is no configuration"),
                format!("write [profile.{profile}] in {}", all.join(" or ")),
            ));
        };
        if !file.config.profiles.contains_key(profile) {
            let names: Vec<&str> = file.config.profiles.keys().map(String::as_str).collect();
            let known =
                if names.is_empty() { "has none".to_owned() } else { format!("has {}", names.join(", ")) };
            return Err(Trouble::new(
                format!("failed to find the profile {profile}: {} {known}", file.path.display()),
                format!("give --profile one of those, or write [profile.{profile}] there"),
            ));
        }
        Ok(Self { file: Some(Arc::new(file)), profile: Some(profile.to_owned()) })
    }

    /// How commands are run: by the profile, or else by default.
    pub(crate) fn habits(&self) -> Habits {
        let Habits { quiet, progress, record, .. } =
            self.profile().map(|profile| profile.habits.clone()).unwrap_or_default();
        let usual = self.file.as_ref().map(|file| file.config.defaults.habits.clone()).unwrap_or_default();
        Habits {
            quiet: quiet.or(usual.quiet),
            progress: progress.or(usual.progress),
            record: record.or(usual.record),
            key_file: None,
        }
    }

    /// What gives keys of a plan, the least first, with its name: the defaults, the hosts, the profile.
    pub(crate) fn layers<'a>(&'a self, hosts: &[Named<'a>]) -> Vec<(&'a Layer, String)> {
        let Some(file) = &self.file else { return Vec::new() };
        let path = file.path.display();
        let mut layers = vec![(&file.config.defaults.plan, format!("[defaults], {path}"))];
        layers.extend(hosts.iter().map(|it| (&it.host.plan, format!("[host.{}], {path}", it.name))));
        if let (Some(profile), Some(name)) = (self.profile(), &self.profile) {
            layers.push((&profile.plan, format!("[profile.{name}], {path}")));
        }
        layers
    }

    /// Those of `hosts` that the configuration has.
    pub(crate) fn named<'a>(&'a self, hosts: impl Iterator<Item = &'a str>) -> Vec<Named<'a>> {
        let Some(file) = &self.file else { return Vec::new() };
        hosts.filter_map(|name| Some(Named { name, host: file.config.hosts.get(name)? })).collect()
    }

    /// Refuses hosts that one command cannot reach in one way.
    pub(crate) fn agree(hosts: &[Named<'_>]) -> Result<(), Trouble> {
        let [first, others @ ..] = hosts else { return Ok(()) };
        let same = |it: &&Named<'_>| {
            it.host.plan.agrees_with(&first.host.plan) && it.host.key_file == first.host.key_file
        };
        match others.iter().find(|it| !same(it)) {
            None => Ok(()),
            Some(odd) => Err(Trouble::new(
                format!(
                    "failed to reach {} and {} in one way: the configuration has other settings or another key file for each",
                    first.name, odd.name
                ),
                "make [host.NAME] of both alike, or run a command for each",
            )),
        }
    }

    /// Where the key is: by the profile, or else by the host, or else by default.
    pub(crate) fn key_file(&self, hosts: &[Named<'_>]) -> Option<PathBuf> {
        let file = self.file.as_ref()?;
        let of_profile = self.profile().and_then(|profile| profile.habits.key_file.as_ref());
        let of_host = || hosts.iter().find_map(|it| it.host.key_file.as_ref());
        let named = of_profile.or_else(of_host).or(file.config.defaults.habits.key_file.as_ref())?;
        let home = std::env::var_os("HOME").unwrap_or_default();
        Some(match named.strip_prefix("~") {
            Ok(below) => Path::new(&home).join(below),
            Err(_) => file.path.parent().unwrap_or(Path::new("")).join(named),
        })
    }

    fn profile(&self) -> Option<&Section> {
        self.file.as_ref()?.config.profiles.get(self.profile.as_ref()?)
    }
}

impl Named<'_> {
    /// Where it is, as a plan says it.
    pub(crate) fn address(&self) -> &str {
        self.host.address.as_deref().unwrap_or(self.name)
    }
}

/// Where a configuration may be, the first first. A variable that is unset, empty or relative is none, as the XDG base directory
/// specification says.
fn places(xdg_config_home: Option<&OsStr>, home: Option<&OsStr>) -> Vec<PathBuf> {
    let absolute = |name: &&OsStr| Path::new(name).is_absolute();
    let folder = xdg_config_home.filter(absolute).map(PathBuf::from);
    let folder = folder.or_else(|| Some(Path::new(home.filter(absolute)?).join(".config")));
    let of_user = folder.map(|folder| folder.join("linerate/config.toml"));
    of_user.into_iter().chain([PathBuf::from(OF_HOST)]).collect()
}

/// The configuration at this place, if there is one.
fn read(path: &Path) -> Result<Option<File>, Trouble> {
    let text = match input::text(path) {
        Ok(text) => text,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => {
            let help = "make it a TOML file that you can read, or give --no-config";
            return Err(Trouble::file("read the configuration", path, &error, help));
        }
    };
    let config = Config::from_toml(&text).map_err(|error| Trouble::config(&error, path, &text))?;
    Ok(Some(File { path: path.to_owned(), config }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_places_are_those_of_the_specification() {
        let found = |xdg: Option<&str>, home: Option<&str>| {
            let places = places(xdg.map(OsStr::new), home.map(OsStr::new));
            places.iter().map(|place| place.display().to_string()).collect::<Vec<_>>()
        };
        let last = "/etc/linerate/config.toml";
        assert_eq!(found(Some("/x"), Some("/h")), ["/x/linerate/config.toml", last]);
        for unset in [None, Some(""), Some("x")] {
            assert_eq!(found(unset, Some("/h")), ["/h/.config/linerate/config.toml", last]);
        }
        assert_eq!(found(None, None), [last]);
    }
}
