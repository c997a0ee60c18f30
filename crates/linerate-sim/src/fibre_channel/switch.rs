//! Between the lanes of a switch: buffers of the F_Ports, and queues of what waits in them.

use super::lane::{Fragment, Travelling};
use super::{Event, FibreChannel, What};
use crate::fabric::{Client, Loss};
use crate::frame::Destination;
use crate::kernel::{Class, Includes, Kernel};

/// A frame in a buffer of an F_Port.
#[derive(Clone, Copy, Debug)]
pub(super) struct Buffer {
    fragment: Fragment,
    /// Outputs that have still to send it.
    copies: u32,
}

impl FibreChannel {
    /// Sends the oldest frame that waits for `output`.
    pub(super) fn forward(&mut self, output: usize, lane: u32, kernel: &mut Kernel<impl Includes<Event>>) {
        let Some(number) = self.queues[output].pop_front() else { return };
        let fragment = self.buffers[number].fragment;
        let sending = self.lanes[lane as usize].send(fragment, kernel.now());
        kernel.at(sending.end, Class::Finish, Event { lane, what: What::Sent });
        self.towards_station(lane, fragment, sending.end, kernel);
        self.buffers[number].copies -= 1;
        // Copies are equally long, so the last to begin is the last to end.
        if self.buffers[number].copies == 0 {
            self.buffers.remove(number);
            let source = self.carried.source(fragment.carried);
            self.give_back(source.0, sending.end + self.parameters.delay, kernel);
        }
    }

    /// A frame from `lane` is in the switch, or as much of it as it waits for.
    pub(super) fn switch<E: Includes<Event>>(
        &mut self,
        lane: u32,
        kernel: &mut Kernel<E>,
        client: &mut impl Client<E>,
    ) {
        let Travelling { fragment, whole } = self.arriving(lane);
        let Fragment { carried, last, .. } = fragment;
        let stations = self.stations.len() as u32;
        let destination = self.carried.frame(carried).destination;
        let outputs = match destination {
            Destination::Station(station) if station.0 < stations => station.0..station.0 + 1,
            Destination::Everyone => 0..stations,
            Destination::Station(_) | Destination::Link => 0..0,
        };
        let all = destination == Destination::Everyone;
        let copies = outputs.len() as u32 - u32::from(all);
        if copies == 0 {
            self.give_back(lane, whole.max(kernel.now()) + self.parameters.delay, kernel);
            if last {
                self.carried.lose(carried, Loss::Error, kernel, client);
            }
            return;
        }
        if last {
            self.carried.copy(carried, copies);
        }
        let number = self.buffers.insert(Buffer { fragment, copies });
        for output in outputs.filter(|output| !all || *output != lane) {
            self.queues[output as usize].push_back(number);
            self.begin(stations + output, kernel, client);
        }
    }
}
