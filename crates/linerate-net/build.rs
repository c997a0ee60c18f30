//! Chooses what is built: everything, or what every system has; and compiles the programs for the kernel's
//! tracepoints, if they are asked for.

use std::env;
use std::path::PathBuf;
use std::process::{Command, exit};

const SOURCE: &str = "bpf/trace.bpf.c";

/// If set, Linux gets what every system has, so that this part can be tried here too. The same of the program `linerate`.
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
    println!("cargo::rerun-if-changed={SOURCE}");
    println!("cargo::rerun-if-env-changed=CLANG");
    if env::var_os("CARGO_FEATURE_BPF").is_none() {
        return;
    }
    let object = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it")).join("trace.bpf.o");
    let clang = env::var_os("CLANG").unwrap_or_else(|| "clang".into());
    let status = Command::new(&clang)
        .args(["-target", "bpf", "-g", "-O2", "-Wall", "-Wextra", "-Werror", "-c", SOURCE, "-o"])
        .arg(object)
        .status();
    let clang = clang.display();
    match status {
        Ok(status) if status.success() => return,
        Ok(status) => println!("cargo::error=failed to compile {SOURCE}: {clang} ended with {status}"),
        Err(error) => println!(
            "cargo::error=failed to run {clang}: {error}; install clang, name another one with CLANG, or build without the feature `bpf`"
        ),
    }
    exit(1);
}
