//! The calls of an application at an end of a flow.

use linerate_core::units::Time;

use crate::event::Event;
use crate::kernel::Kernel;
use crate::machine::End;
use crate::stations::{Broken, Stations};

/// The calls of an application at an end of a flow, at one moment.
#[derive(Debug)]
pub(super) struct Calls<'a> {
    pub(super) stations: &'a mut Stations,
    pub(super) kernel: &'a mut Kernel<Event>,
    pub(super) end: End,
}

/// The result of a receive call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Received {
    /// It goes on.
    Nothing,
    /// This many bytes.
    Bytes(u64),
    /// The end of what the other end sent.
    End,
}

impl Calls<'_> {
    pub(super) const fn now(&self) -> Time {
        self.kernel.now()
    }

    /// Sends `bytes`, or the rest of them; how many a call that is done has sent.
    pub(super) fn send(&mut self, bytes: u64) -> Result<u64, Broken> {
        self.stations.send(self.end, bytes, self.kernel)
    }

    /// Receives up to `most` bytes.
    pub(super) fn receive(&mut self, most: u64) -> Result<Received, Broken> {
        match self.stations.recv(self.end, most, self.kernel) {
            Ok(0) => Ok(Received::Nothing),
            Ok(bytes) => Ok(Received::Bytes(bytes)),
            Err(Broken::Closed) => Ok(Received::End),
            Err(broken) => Err(broken),
        }
    }

    /// Sends nothing more.
    pub(super) fn finish(&mut self) {
        self.stations.finish(self.end, self.kernel);
    }

    /// Wakes the application at `when`, unless `alarm` says that this is already set.
    pub(super) fn wake_at(&mut self, when: Time, alarm: &mut Option<Time>) {
        if alarm.replace(when) != Some(when) {
            self.stations.alarm(self.end.flow, self.end.side, when, self.kernel);
        }
    }
}
