use std::num::NonZeroUsize;

use linerate_sim::plan::ModelPlan;

use super::*;
use crate::study::fixture;
use crate::{Orders, changed, run_all, shipped};

fn name() -> ResultName {
    ResultName::of("test", &["plan", "seed 1"])
}

#[test]
fn a_name_is_of_everything_that_determines_the_result() {
    assert_eq!(name(), ResultName::of("test", &["plan", "seed 1"]));
    for (kind, inputs) in [
        ("other", &["plan", "seed 1"][..]),
        ("test", &["plan", "seed 2"]),
        ("test", &["plan"]),
        ("test", &["planseed 1"]),
        ("test", &["plan\n6\nseed 1"]),
        ("test", &["seed 1", "plan"]),
    ] {
        assert_ne!(name(), ResultName::of(kind, inputs), "{kind} {inputs:?}");
    }
    let file = name().file();
    assert!(file.len() == 70 && file.ends_with(".jsonl"), "{file}");
}

#[test]
fn a_result_is_read_as_it_was_written() {
    let mut outcome = fixture::outcome();
    outcome.cautions = vec![fixture::lost(65, 1000)];
    let text = name().write(&KeptLoad::from(outcome.clone()));
    let read: LoadOutcome = name().read::<KeptLoad>(&text).expect("whole").into();
    assert_eq!(format!("{read:?}"), format!("{outcome:?}"));
    assert_eq!(name().write(&KeptLoad::from(read)), text);
}

/// Every medium and relay that comes with linerate: whatever their outcomes hold has a JSON form and comes back.
#[test]
fn the_outcome_of_every_shipped_plan_comes_back() {
    let plan = |plan: &linerate_sim::shipped::Shipped| {
        let plan = ModelPlan::from_toml(plan.text).expect("a shipped plan");
        changed(&plan, &["load.time=300us".to_owned(), "load.warm-up=0s".to_owned()]).expect("it is changed")
    };
    let plans: Vec<ModelPlan> = shipped::SHIPPED.iter().map(plan).collect();
    let orders = Orders { plans, trace: None, jobs: NonZeroUsize::MIN, delays: true };
    let done = run_all(orders, || false, |_, _| {}).expect("they can be built");
    for (loaded, plan) in done.into_iter().flatten().zip(shipped::SHIPPED) {
        let outcome = loaded.outcome;
        let before = format!("{outcome:?}");
        let text = name().write(&KeptLoad::from(outcome));
        let read = name().read::<KeptLoad>(&text).unwrap_or_else(|error| panic!("{}: {error}", plan.name));
        assert_eq!(format!("{:?}", LoadOutcome::from(read)), before, "{}", plan.name);
    }
}

#[test]
fn what_is_not_the_result_says_why() {
    let text = name().write(&vec![1, 2, 3]);
    let why = |text: &str| name().read::<Vec<u32>>(text).map(drop).expect_err("it is refused").to_string();
    assert_eq!(name().read::<Vec<u32>>(&text).expect("it is whole"), [1, 2, 3]);
    assert_eq!(why(""), "it is not a result of linerate");
    assert_eq!(why("{}\n[1]\n"), "it is not a result of linerate");
    assert_eq!(why(&text[..text.len() - 1]), "it is damaged or cut short");
    assert_eq!(why(&text[..text.len() - 4]), "it is damaged or cut short");
    assert_eq!(why(&text.replace("[1,2,3]", "[1,2,4]")), "it is damaged or cut short");
    assert_eq!(why(&(text.clone() + "[4]\n")), "it is damaged or cut short");
    let other = ResultName::of("test", &["other"]).write(&vec![1]);
    assert_eq!(why(&other), "it is the result of another run");
    assert_eq!(
        why(&text.replace("\"format\":1", "\"format\":7")),
        "its format is 7, and this linerate reads 1"
    );
    assert!(why(&name().write(&"text")).starts_with("it cannot be read: invalid type"));
    for end in 0..text.len() {
        assert!(name().read::<Vec<u32>>(&text[..end]).is_err(), "cut at {end}");
    }
}

#[test]
fn a_manifest_is_of_the_results_whoever_writes_it() {
    let names = [name(), ResultName::of("test", &["other"]), name()];
    let manifest = Manifest::of("model load", "a plan".to_owned(), &names, 4);
    assert_eq!(manifest.results, 2, "each once");
    let read = Manifest::from_json(&manifest.to_json()).expect("it is whole");
    assert_eq!(read, manifest);
    assert!(read.is_of(&Manifest::of("model load", String::new(), &names, 7)), "of any number of parts");
    assert!(!read.is_of(&Manifest::of("model load", "a plan".to_owned(), &names[..2], 4)));
    assert!(!read.is_of(&Manifest::of("model check", "a plan".to_owned(), &names, 4)));
    assert!(Manifest::from_json("{}").is_err());
}
