//! The file as text, with a comment above each value that was found.

use std::fmt::Write as _;

use super::{Estimate, HostFile};

/// The comment at the top of the file.
const HEAD: &str = "\
# A host as `linerate calibrate` found it. [host] is a profile as a model's plan takes it; [calibration]
# is what `linerate predict --host` needs besides. Times are one-way, ns/B is nanoseconds a byte.
";

/// Comments for keys that were not fitted.
const GIVEN: [(&str, &str); 6] = [
    (
        "processor.clock-share",
        "not measured: the costs were measured at this clock, so it has no effect here",
    ),
    ("processor.multiprocessor-factor", "the costs were measured with this kernel, locks included"),
    ("costs.interrupt", "not measured: a veth has no interrupt, and its soft interrupt is in `receive`"),
    ("memory.checksum-in-ns", "by the checksum probe; no effect while the adaptor computes checksums"),
    ("memory.paging-ns", "not measured: no message here is larger than memory"),
    ("adaptor.transmit-ring", "not measured: a veth has no rings, so they are large enough never to matter"),
];

/// `file` as TOML with its comments.
pub(super) fn annotated(file: &HostFile) -> String {
    let plain = toml::to_string(file).expect("every field of a host has a TOML form");
    let mut text = HEAD.to_owned();
    let mut table = String::new();
    for line in plain.lines() {
        if let Some(name) = line.trim_start_matches('[').strip_suffix(']').filter(|_| line.starts_with('[')) {
            name.trim_end_matches(']').clone_into(&mut table);
        }
        if let Some((key, _)) = line.split_once(" = ")
            && let Some(note) = note(file, &format!("{table}.{key}"))
        {
            writeln!(text, "# {note}").expect("a text takes text");
        }
        text.push_str(line);
        text.push('\n');
    }
    text
}

/// The comment for a key. Most keys have no comment.
fn note(file: &HostFile, path: &str) -> Option<String> {
    let key = path.strip_prefix("host.")?;
    let fitted = file.calibration.value.iter().find(|value| value.parameter.key() == key);
    let given = || GIVEN.iter().find(|(name, _)| *name == key).map(|(_, note)| (*note).to_owned());
    fitted.map(words).or_else(given)
}

fn words(value: &Estimate) -> String {
    let [low, high] = value.interval.map(digits);
    let source = value.source.replace(['\n', '\r'], " ");
    format!("{} {} (95 %: {low} to {high}); {source}", digits(value.fitted), value.parameter.unit())
}

/// Four significant digits.
fn digits(value: f64) -> String {
    let decimals = if value > 0.0 { (3.0 - value.log10().floor()).clamp(0.0, 9.0) as usize } else { 0 };
    format!("{value:.decimals$}")
}
