//! `linerate model`: through the binary.

use crate::support::Desk;

mod media;
mod refusals;
mod results;
mod shards;
mod trace;
mod values;

/// A plan that is run in no time.
const PLAN: &str = "about = 'a test'\n[load]\ntime = '1ms'\nwarm-up = '100us'\nto = 'pairs'\n";

/// A folder with that plan.
fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("x.toml", PLAN);
    desk
}
