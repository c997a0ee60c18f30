//! The curve of a modelled network: two hosts and a cable, 1 Gb/s.
//!
//! ```sh
//! cargo run --release -p linerate-sim --example model_curve
//! ```

use std::error::Error;

use linerate_core::measure::{Unwatched, measure};
use linerate_core::plan::Plan;
use linerate_sim::model::curve;
use linerate_sim::plan::ModelPlan;

fn main() -> Result<(), Box<dyn Error>> {
    let model = ModelPlan::from_toml("[network]\nmedium = 'ethernet'")?;
    let mut modelled = curve(&model, None)?;
    let asked = Plan::from_toml("schedule = 'octave:1'\nto = '1MiB'")?;
    let method = modelled.method(&asked.common, asked.curve().ok_or("the plan is of a curve")?)?;
    let outcome = measure(&mut modelled.bench, &method, &mut Unwatched);
    println!("the link carries {}, of which payload {}", modelled.link, modelled.payload);
    for point in outcome.series.timed() {
        let time = point.time().ok_or("it was timed")?;
        let mbps = point.size as f64 * 8e6 / time.median;
        println!("{:>8} B  {:>10.3} us  {mbps:>8.2} Mb/s", point.size, time.median / 1e6);
    }
    Ok(())
}
