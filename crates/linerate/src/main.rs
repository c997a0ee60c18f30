//! linerate: how close to line rate is a path at every message size, and what is in the way?

use std::process::ExitCode;

fn main() -> ExitCode {
    linerate::run()
}
