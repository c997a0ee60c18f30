//! `linerate model`: through the binary.

#[expect(dead_code, reason = "each test file uses its part")]
mod support;

#[path = "model/refusals.rs"]
mod refusals;
#[path = "model/results.rs"]
mod results;
#[path = "model/trace.rs"]
mod trace;

use support::Desk;

/// A plan that is run in no time.
const PLAN: &str = "about = 'a test'\n[load]\ntime = '1ms'\nwarm-up = '100us'\nto = 'pairs'\n";

/// A folder with that plan.
fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("x.toml", PLAN);
    desk
}
