//! A plan that somebody wrote, in TOML.

use linerate_core::plan::Plan;
use linerate_core::schedule::MAX_SIZES;

/// Takes `data` for a plan.
pub fn plan(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(plan) = Plan::from_toml(text) else { return };
    let sizes = plan.sizes();
    if let Ok(sizes) = &sizes {
        assert!((1..=MAX_SIZES).contains(&sizes.len()), "{} sizes", sizes.len());
        assert!(!sizes.contains(&0), "a message of no bytes");
    }
    let good = plan.check().is_ok();
    assert!(!good || sizes.is_ok(), "a checked plan has sizes");

    let written = plan.to_toml();
    let read = Plan::from_toml(&written).unwrap_or_else(|error| panic!("{error} in {written}"));
    if good {
        assert_eq!(read, plan, "{written}");
    }
    let told = plan.for_peer();
    assert_eq!(told.for_peer().to_toml(), told.to_toml());
}
