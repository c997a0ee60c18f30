//! Reads a run file and prints its key figures and its cautions.
//!
//! ```sh
//! cargo run --release -p linerate-core --example read_run -- x.run.json
//! ```

use std::error::Error;

use linerate_analysis::report::{NamedRun, Report};
use linerate_core::run::Run;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("name a run file")?;
    let run = Run::from_json(&std::fs::read_to_string(&path)?)?;
    println!("{path}: {}, begun {}", run.generator, run.started);
    let report = Report::new(vec![NamedRun { name: path, run }]);
    for curve in &report.curves {
        for (size, timed) in curve.timed() {
            println!("{size:>10} B  {:>10.3} us  {:>10.2} Mb/s", timed.median_us, timed.mbps);
        }
    }
    for (_, caution) in report.cautions() {
        println!("! {}; {}", caution.finding(), caution.advice());
    }
    Ok(())
}
