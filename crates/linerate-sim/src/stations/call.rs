//! An application's call of send or receive, and how far the kernel is with it.

/// A call, of one kind, at one end of a flow.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Call {
    pub(super) step: Step,
    /// The requested bytes. Unit: bytes.
    asked: u64,
    /// How much of it is done.
    done: u64,
    /// The message that it is part of: a short call is followed by one for the rest.
    message: u64,
}

/// Where a call stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Step {
    /// No call.
    #[default]
    Idle,
    /// It enters the kernel, or its sleeping thread wakes.
    Running,
    /// It waits for room, or for data.
    Asleep,
    /// It was woken, and its processor does not know yet.
    Woken,
    /// This many bytes are being copied.
    Copying(u64),
    /// It is done; the application does not know yet.
    Returned,
}

impl Call {
    /// The application calls for this many bytes.
    pub(super) const fn enter(&mut self, asked: u64) {
        if asked != self.asked - self.done {
            self.message = asked;
        }
        self.asked = asked;
        self.done = 0;
        self.step = Step::Running;
    }

    /// Whether it is in the kernel and does not sleep.
    pub(super) const fn is_running(&self) -> bool {
        matches!(self.step, Step::Running | Step::Copying(_))
    }

    /// What is left to copy. Unit: bytes.
    pub(super) const fn left(&self) -> u64 {
        self.asked - self.done
    }

    /// What was copied. Unit: bytes.
    pub(super) const fn done(&self) -> u64 {
        self.done
    }

    /// The message of which this is a part. Unit: bytes.
    pub(super) const fn message(&self) -> u64 {
        self.message
    }

    /// The bytes that the step before has copied. Absent if it copied nothing.
    pub(super) const fn copied(&mut self) -> u64 {
        let Step::Copying(bytes) = self.step else { return 0 };
        self.done += bytes;
        bytes
    }

    /// The application takes the result, if there is one.
    pub(super) fn take_result(&mut self) -> Option<u64> {
        if self.step != Step::Returned {
            return None;
        }
        self.step = Step::Idle;
        Some(self.done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_for_the_rest_belongs_to_the_message() {
        let mut call = Call::default();
        call.enter(1000);
        call.step = Step::Copying(400);
        assert_eq!((call.copied(), call.left()), (400, 600));
        call.step = Step::Returned;
        assert_eq!(call.take_result(), Some(400));
        assert_eq!(call.take_result(), None, "it is taken once");
        call.enter(600);
        assert_eq!((call.message(), call.left()), (1000, 600));
        call.step = Step::Copying(600);
        call.copied();
        call.enter(50);
        assert_eq!(call.message(), 50);
    }
}
