//! The marks of each message so far.

use linerate_core::stages::Marks;

/// A message as it was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sent {
    /// Just before the call. Unit: nanoseconds of `CLOCK_REALTIME`.
    pub(super) at: u64,
    /// What the kernel calls it in its stamps.
    pub(super) key: u32,
}

/// A message as it arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Received {
    /// In the kernel. Unit: as above.
    pub(super) arrived: Option<u64>,
    /// In the application. Unit: as above.
    pub(super) taken: u64,
}

/// A stamp of a message that left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stamp {
    Queued,
    Driven,
    Acked,
}

/// All rounds of one size.
pub(super) struct Rounds {
    keys: Vec<u32>,
    marks: Vec<Marks>,
}

impl Rounds {
    pub(super) fn new(count: u32) -> Self {
        let room = count as usize;
        Self { keys: Vec::with_capacity(room), marks: Vec::with_capacity(room) }
    }

    pub(super) fn add(&mut self, sent: Sent, came: Received) {
        self.keys.push(sent.key);
        self.marks.push(Marks {
            sent: sent.at,
            arrived: came.arrived,
            taken: came.taken,
            ..Marks::default()
        });
    }

    /// Notes a stamp of the message called `key`. For a message sent in pieces, the keys of the
    /// other pieces are unknown here.
    pub(super) fn note(&mut self, key: u32, stamp: Stamp, at: u64) {
        let Some(place) = self.keys.iter().rposition(|known| *known == key) else { return };
        let marks = &mut self.marks[place];
        let mark = match stamp {
            Stamp::Queued => &mut marks.queued,
            Stamp::Driven => &mut marks.driven,
            Stamp::Acked => &mut marks.acked,
        };
        // A retransmission is stamped again: the first stamp is the message's.
        mark.get_or_insert(at);
    }

    /// Whether the last message has left and, if that is awaited, was acknowledged.
    pub(super) fn is_settled(&self, acknowledged: bool) -> bool {
        self.marks.last().is_none_or(|marks| {
            let left = marks.queued.is_some() && marks.driven.is_some();
            left && (marks.acked.is_some() || !acknowledged)
        })
    }

    pub(super) fn into_marks(self) -> Vec<Marks> {
        self.marks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_goes_to_the_message_of_its_name_and_the_first_counts() {
        let mut told = Rounds::new(2);
        for (at, key) in [(1, u32::MAX), (2, 99)] {
            told.add(Sent { at, key }, Received { arrived: None, taken: at });
        }
        told.note(u32::MAX, Stamp::Queued, 10);
        told.note(7, Stamp::Queued, 11);
        told.note(99, Stamp::Driven, 12);
        told.note(99, Stamp::Driven, 13);
        assert!(!told.is_settled(false));
        told.note(99, Stamp::Queued, 14);
        assert!(told.is_settled(false) && !told.is_settled(true));
        told.note(99, Stamp::Acked, 15);
        assert!(told.is_settled(true));
        let marks = told.into_marks();
        assert_eq!((marks[0].queued, marks[0].driven), (Some(10), None));
        assert_eq!((marks[1].queued, marks[1].driven, marks[1].acked), (Some(14), Some(12), Some(15)));
    }
}
