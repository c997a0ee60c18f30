//! Trajectories of both kinds of molecular dynamics, as people see them.

use linerate_core::app::{Axis, Course};

use super::frame::Frame;

/// A number of every observation against its step.
pub(crate) fn course<O>(name: &str, unit: &str, observations: &[O], of: impl Fn(&O) -> (u64, f64)) -> Course {
    let point = |observation: &O| {
        let (step, value) = of(observation);
        [step as f64, value]
    };
    Course {
        name: name.to_owned(),
        x: Axis::linear("step", ""),
        y: Axis::linear(name, unit),
        points: observations.iter().map(point).collect(),
    }
}

/// All frames as one file of extended XYZ.
pub(crate) fn trajectory(frames: &[Frame]) -> Vec<u8> {
    frames.iter().map(Frame::to_extended_xyz).collect::<String>().into_bytes()
}
