//! Chooses which verbs there are: all, or those of every system, as linerate-net is built.

use std::env;

/// As in linerate-net.
const PORTABLE: &str = "LINERATE_PORTABLE";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed={PORTABLE}");
    println!("cargo::rustc-check-cfg=cfg(on_linux)");
    if env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "linux")
        && env::var_os(PORTABLE).is_none()
    {
        println!("cargo::rustc-cfg=on_linux");
    }
}
