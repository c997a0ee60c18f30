//! What marks in a plan: refused by key, with the reason; kept when written; of no effect without a switch.

use linerate_core::caution::Caution;
use linerate_sim::model;
use linerate_sim::plan::ModelPlan;
use rstest::rstest;

use crate::support::plans::plan;

fn network(marking: &str, topology: &str) -> String {
    format!(
        "[network]\nmedium = 'ethernet'\ntopology = '{topology}'\nstations = 2\n[network.marking]\n{marking}\n"
    )
}

#[rstest]
#[case("", "network.marking")]
#[case("above = '30K'\nabove-frames = 20", "network.marking")]
#[case("above = '2G'", "network.marking.above")]
#[case("red.least = '30K'\nred.most = '30K'", "network.marking.red.most")]
#[case("red.least = '30K'\nred.most = '90K'\nred.probability = 1.5", "network.marking.red.probability")]
#[case("red.least = '30K'\nred.most = '90K'\nred.weight = 0.0", "network.marking.red.weight")]
fn a_queue_that_could_not_mark_is_refused_by_key(#[case] marking: &str, #[case] key: &str) {
    let error = model::build(&plan(&network(marking, "switch"))).expect_err(marking).to_string();
    assert!(error.starts_with(key), "{error}");
}

#[test]
fn it_is_kept_when_written_and_says_where_nothing_marks() {
    let given = plan(&network("red.least = '30K'\nred.most = '90K'", "switch"));
    assert_eq!(ModelPlan::from_toml(&given.to_toml()).expect("it was written so"), given);
    let without = |topology: &str| {
        let cautions =
            model::build(&plan(&network("above-frames = 20", topology))).expect("a network").cautions;
        cautions
            .iter()
            .any(|caution| matches!(caution, Caution::WithoutEffect { key, .. } if key == "network.marking"))
    };
    assert_eq!(["direct", "switch"].map(without), [true, false]);
}
