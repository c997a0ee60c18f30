//! The curves of a run in few bytes.

use std::io::Read as _;

use linerate_core::run::Run;

use crate::trouble::Trouble;

/// Some 20 kB of a default run; higher levels save a tenth and take ten times as long.
const LEVEL: i32 = 12;
/// A packed run is never longer when it is unpacked. Unit: bytes.
const LONGEST: u64 = 1 << 28;

/// What the history keeps of `run`: its compact form.
pub(crate) fn pack(run: &Run) -> Result<Vec<u8>, Trouble> {
    zstd::bulk::compress(run.packed().as_bytes(), LEVEL).map_err(|error| {
        Trouble::new(
            format!("failed to pack the run for the history: {error}"),
            "free memory; the run file is complete",
        )
    })
}

/// The run that was packed. The bytes may come from anywhere.
pub(crate) fn unpack(bytes: &[u8]) -> Result<Run, Trouble> {
    let damaged = |reason: String| {
        Trouble::new(
            format!("failed to unpack a run of the history: {reason}"),
            "check the history with `linerate history check`, or name the run file",
        )
    };
    let mut text = String::new();
    let decoder = zstd::Decoder::new(bytes).map_err(|error| damaged(error.to_string()))?;
    decoder.take(LONGEST).read_to_string(&mut text).map_err(|error| damaged(error.to_string()))?;
    Run::from_packed(&text).map_err(|error| damaged(error.to_string()))
}

#[cfg(test)]
mod tests {
    use linerate_core::plan::Plan;
    use linerate_core::run::Source;

    use super::*;

    #[test]
    fn what_is_packed_is_unpacked_and_damage_is_seen() {
        let run = Run { id: "x".to_owned(), ..Run::new(Source::Loopback, Plan::default()) };
        let bytes = pack(&run).expect("packed");
        assert_eq!(unpack(&bytes).expect("unpacked"), run.compact());
        for cut in [0, 3, bytes.len() / 2, bytes.len() - 1] {
            assert!(unpack(&bytes[..cut]).is_err(), "{cut}");
        }
    }
}
