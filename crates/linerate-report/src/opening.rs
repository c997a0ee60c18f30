//! What opens the result of a run of any kind, in every form.

use linerate_analysis::explain::RunVerdict;
use linerate_analysis::report::Report;

use crate::explain::Opening;
use crate::{app, mesh};

/// What opens the result of run `index` of `report`: what came of it, and what limits that; of a mesh and of an application
/// what is wrong. Absent for traced messages, whose numbers say it all, and for ranks of which nothing was measured.
pub(crate) fn opening(report: &Report, index: usize) -> Option<Opening> {
    let named = &report.runs[index];
    if let Some(mesh) = report.meshes.iter().find(|mesh| mesh.run == index) {
        return Some(Opening::said(format!("{}.", mesh::headline(mesh, &named.run))));
    }
    if let Some(app) = report.apps.iter().find(|app| app.run == index) {
        let headline = app::headline(app, named);
        return Some(Opening::said(format!("{}. {headline}.", app::answer(app))));
    }
    RunVerdict::of(&named.run).map(Opening::new)
}
