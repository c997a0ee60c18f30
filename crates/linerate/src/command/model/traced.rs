//! Capture files of models.

use std::path::Path;

use linerate_sim::plan::ModelPlan;
use linerate_sim::trace::Trace;

use crate::capture;
use crate::screen::note;
use crate::store::Writer;
use crate::trouble::Trouble;

/// Most passages of frames in a capture: with full frames 150 MB.
pub(in crate::command) const MOST_PASSAGES: usize = 100_000;

/// Writes the frames at the stations of `plan` to `path`, and prints that it did.
pub(in crate::command) fn keep(
    trace: &Trace,
    plan: &ModelPlan,
    path: &Path,
    files: &Writer,
) -> Result<(), Trouble> {
    let form = capture::Form { stations: plan.network.stations(), kind: plan.transport.kind };
    files.replace_with(path, |out| capture::write(trace, form, out))?;
    note(format_args!("trace:    {}", path.display()));
    if trace.left_out() > 0 {
        let kept = trace.passages().len();
        note(format_args!("it has the first {kept} of {} passages", kept as u64 + trace.left_out()));
    }
    Ok(())
}
