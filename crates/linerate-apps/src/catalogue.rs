//! The applications by name, and their options as people write them.

use linerate_core::comm::Comm;
use linerate_core::plan::AppOptions;
use schemars::{JsonSchema, SchemaGenerator};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::application::{AppError, AppWatch, Application, Told, agree};
use crate::hint::Hint;
use crate::md::Md;
use crate::photon::Photon;
use crate::tbmd::Tbmd;
use crate::work::Work;

/// An application with all that it is asked.
#[derive(Clone, Debug, PartialEq)]
pub enum App {
    /// HINT.
    Hint(Hint),
    /// Photons.
    Photon(Photon),
    /// A Lennard-Jones liquid.
    Md(Md),
    /// Carbon with electrons.
    Tbmd(Tbmd),
}

/// Does the same with whichever it is.
macro_rules! each {
    ($app:expr, $it:ident => $body:expr) => {
        match $app {
            App::Hint($it) => $body,
            App::Photon($it) => $body,
            App::Md($it) => $body,
            App::Tbmd($it) => $body,
        }
    };
}

/// An option of an application.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppOption {
    /// Its name.
    pub name: String,
    /// Its default as it is written; empty if it has none.
    pub default: String,
    /// What it is.
    pub what: String,
    /// The words that it takes, if it takes only some.
    pub words: Vec<String>,
}

impl App {
    /// All applications with their defaults.
    #[must_use]
    pub fn all() -> [Self; 4] {
        [
            Self::Hint(Hint::default()),
            Self::Photon(Photon::default()),
            Self::Md(Md::default()),
            Self::Tbmd(Tbmd::default()),
        ]
    }

    /// The application `name` with these options.
    ///
    /// # Errors
    ///
    /// [`AppError::Plan`]: a name or an option that there is not, or a value that it does not take.
    pub fn read(name: &str, options: &AppOptions) -> Result<Self, AppError> {
        let app = Self::all().into_iter().find(|app| app.name() == name).ok_or_else(|| {
            let names = Self::all().map(|app| app.name()).join(", ");
            AppError::Plan(format!("find the application `{name}`: there are {names}"))
        })?;
        Ok(match app {
            Self::Hint(_) => Self::Hint(from_options(name, options)?),
            Self::Photon(_) => Self::Photon(from_options(name, options)?),
            Self::Md(_) => Self::Md(from_options(name, options)?),
            Self::Tbmd(_) => Self::Tbmd(from_options(name, options)?),
        })
    }

    /// How people write it.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        const fn of<A: Application>(_: &A) -> &'static str {
            A::NAME
        }
        each!(self, app => of(app))
    }

    /// What people call it.
    #[must_use]
    pub const fn title(&self) -> &'static str {
        const fn of<A: Application>(_: &A) -> &'static str {
            A::TITLE
        }
        each!(self, app => of(app))
    }

    /// What it is measured by.
    #[must_use]
    pub const fn merit(&self) -> &'static str {
        const fn of<A: Application>(_: &A) -> &'static str {
            A::MERIT
        }
        each!(self, app => of(app))
    }

    /// What a unit of its work is.
    #[must_use]
    pub const fn unit(&self) -> &'static str {
        const fn of<A: Application>(_: &A) -> &'static str {
            A::UNIT
        }
        each!(self, app => of(app))
    }

    /// All of its options, with every default filled in.
    #[must_use]
    pub fn options(&self) -> AppOptions {
        each!(self, app => to_options(app))
    }

    /// Its options, with their defaults.
    #[must_use]
    pub fn described(&self) -> Vec<AppOption> {
        fn of<A: Application + JsonSchema>(app: &A) -> Vec<AppOption> {
            described::<A>(&to_options(app))
        }
        each!(self, app => of(app))
    }

    /// Asks it to keep what it can show: the frames of a trajectory, at the end if nothing else was asked.
    pub fn keep_what_it_shows(&mut self) {
        match self {
            Self::Hint(_) | Self::Photon(_) => {}
            Self::Md(md) => md.frame_every = md.frame_every.or(Some(md.every)),
            Self::Tbmd(tbmd) => tbmd.frame_every = tbmd.frame_every.or(Some(tbmd.every)),
        }
    }

    /// The ending of a file with what it shows. Absent if it shows nothing.
    #[must_use]
    pub const fn shows(&self) -> Option<&'static str> {
        match self {
            Self::Hint(_) => None,
            Self::Photon(_) => Some("png"),
            Self::Md(_) | Self::Tbmd(_) => Some("xyz"),
        }
    }

    /// Whether `ranks` can do what is asked.
    ///
    /// # Errors
    ///
    /// [`AppError::Plan`].
    pub fn check(&self, ranks: usize) -> Result<(), AppError> {
        each!(self, app => app.check(ranks))
    }

    /// About the memory that a rank takes, if there are so many. Unit: bytes.
    #[must_use]
    pub fn memory(&self, ranks: usize) -> u64 {
        each!(self, app => app.memory(ranks))
    }

    /// Compares what all ranks were asked.
    ///
    /// # Errors
    ///
    /// [`AppError::Disagree`] at every rank, or the carrier's error.
    pub async fn agree<C: Comm>(&self, comm: &mut C) -> Result<(), AppError> {
        each!(self, app => agree(app, comm).await)
    }

    /// Runs a rank; gives what people are told of the result, and what it shows if that is wanted.
    ///
    /// # Errors
    ///
    /// [`AppError`].
    pub async fn run<C: Comm>(
        &self,
        work: &mut Work<'_, C>,
        watch: &mut dyn AppWatch,
        wants: bool,
    ) -> Result<Ended, AppError> {
        each!(self, app => run(app, work, watch, wants).await)
    }
}

/// What is left of a rank that has run.
#[derive(Clone, Debug, Default)]
pub struct Ended {
    /// What people are told. That of rank 0 is the result.
    pub told: Told,
    /// What it shows, as a file. Empty at ranks other than 0, and if it was not wanted.
    pub shown: Vec<u8>,
    /// What the rank did.
    pub account: linerate_core::app::Account,
}

async fn run<A: Application, C: Comm>(
    app: &A,
    work: &mut Work<'_, C>,
    watch: &mut dyn AppWatch,
    wants: bool,
) -> Result<Ended, AppError> {
    let outcome = app.run(work, watch).await?;
    let account = work.account();
    if work.rank() > 0 {
        return Ok(Ended { account, ..Ended::default() });
    }
    let shown = if wants { app.shown(&outcome)? } else { Vec::new() };
    Ok(Ended { told: app.told(&outcome), shown, account })
}

fn from_options<A: DeserializeOwned>(name: &str, options: &AppOptions) -> Result<A, AppError> {
    let read = |options: &AppOptions| serde_json::from_value::<A>(Value::Object(options.clone()));
    read(options).map_err(|error| {
        // Every option has a default, so each is read by itself to find the one that is wrong.
        let wrong = options.iter().find_map(|(option, value)| {
            let alone = AppOptions::from_iter([(option.clone(), value.clone())]);
            Some((option, value, read(&alone).err()?))
        });
        let reason = match wrong {
            Some((option, value, error)) => format!("{option}={} of {name}: {error}", written(value)),
            None => format!("the options of {name}: {error}"),
        };
        AppError::Plan(format!("understand {}", in_words(reason)))
    })
}

/// What serde expects, as people say it.
fn in_words(reason: String) -> String {
    let types = [
        ("expected u64", "expected a whole number from 0"),
        ("expected u32", "expected a whole number from 0"),
        ("expected usize", "expected a whole number from 0"),
        ("expected i32", "expected a whole number"),
        ("expected f64", "expected a number"),
        ("expected a boolean", "expected true or false"),
        ("an array of length 3", "three numbers, such as 10,10,10"),
    ];
    types.into_iter().fold(reason, |reason, (of, words)| reason.replace(of, words))
}

fn to_options(app: &impl Serialize) -> AppOptions {
    match serde_json::to_value(app) {
        // A plan in TOML has no null: what is absent is left out.
        Ok(Value::Object(options)) => options.into_iter().filter(|(_, value)| !value.is_null()).collect(),
        _ => unreachable!("an application is written as a table"),
    }
}

fn described<A: JsonSchema>(defaults: &AppOptions) -> Vec<AppOption> {
    let mut generator = SchemaGenerator::default();
    let schema = generator.root_schema_for::<A>().to_value();
    let Some(properties) = schema["properties"].as_object() else { return Vec::new() };
    let of = |(name, schema_of): (&String, &Value)| AppOption {
        name: name.clone(),
        default: defaults.get(name).map_or_else(String::new, written),
        what: schema_of["description"].as_str().unwrap_or_default().replace('\n', " "),
        words: words(&schema, schema_of),
    };
    properties.iter().map(of).collect()
}

/// A value as it is written after `=`.
fn written(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The words that a value may be.
fn words(root: &Value, schema: &Value) -> Vec<String> {
    let named = schema["$ref"].as_str().and_then(|name| root.pointer(name.trim_start_matches('#')));
    let of = named.unwrap_or(schema);
    let from_enum = of["enum"].as_array().into_iter().flatten();
    let from_choices = of["oneOf"].as_array().into_iter().flatten();
    let from_choices = from_choices.flat_map(|choice| {
        choice["enum"].as_array().cloned().unwrap_or_default().into_iter().chain(choice.get("const").cloned())
    });
    from_enum.cloned().chain(from_choices).filter_map(|word| Some(word.as_str()?.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_application_is_read_as_it_is_written() {
        for app in App::all() {
            assert_eq!(App::read(app.name(), &app.options()).expect("its own options"), app);
            assert_eq!(App::read(app.name(), &AppOptions::new()).expect("defaults"), app);
            app.check(1).expect("one rank can do it");
            assert!(app.memory(4) > 0, "{app:?}");
        }
    }

    #[test]
    fn options_have_names_defaults_and_meanings() {
        for app in App::all() {
            let options = app.described();
            assert!(options.len() > 8, "{options:?}");
            assert!(options.iter().all(|option| !option.what.is_empty()), "{options:?}");
        }
        let md = App::Md(Md::default()).described();
        let of = |name: &str| md.iter().find(|option| option.name == name).expect(name);
        assert_eq!((&*of("steps").default, &*of("cells").default), ("100", "[10,10,10]"));
        assert_eq!(of("decomposition").words, ["spatial", "replicated", "replicated-half"]);
    }

    #[test]
    fn a_wrong_value_is_named_with_its_option() {
        let said = |name: &str, option: &str, value: Value| {
            let options =
                AppOptions::from_iter([("seed".to_owned(), Value::from(1)), (option.to_owned(), value)]);
            App::read(name, &options).expect_err("it is wrong").to_string()
        };
        assert_eq!(
            said("md", "cells", Value::from(2)),
            "understand cells=2 of md: invalid type: integer `2`, expected three numbers, such as 10,10,10"
        );
        assert_eq!(
            said("photon", "photons", Value::from(-1)),
            "understand photons=-1 of photon: invalid value: integer `-1`, expected a whole number from 0"
        );
    }

    #[test]
    fn what_is_not_there_is_named_with_what_is() {
        let said = App::read("hnit", &AppOptions::new()).expect_err("no such name").to_string();
        assert_eq!(said, "find the application `hnit`: there are hint, photon, md, tbmd");
        let mut options = AppOptions::new();
        options.insert("step".to_owned(), Value::from(3));
        let said = App::read("md", &options).expect_err("no such option").to_string();
        assert!(
            said.starts_with("understand step=3 of md: unknown field `step`, expected one of `cells`"),
            "{said}"
        );
    }
}
