//! The server's end of stamped messages.

use linerate_core::endpoint::LinkError;
use linerate_core::stages::{LARGEST, MOST_MESSAGES, WARM_UP};

use super::session::{Refusal, Session};
use crate::control::{Ask, Reply};
use crate::observe::current_cpu;
use crate::stages::{LONGEST, Stamped, options, tally};
use crate::wait::PATIENCE;

impl Session<'_> {
    /// Answers stamped messages, size by size, until the client ends them.
    pub(super) fn stages(&mut self) -> Result<(), Refusal> {
        if self.plan.curve().and_then(|curve| curve.stages).is_none() {
            return Err(Refusal::Told("the plan asks for no stages".to_owned()));
        }
        // The trials' watch ends here.
        self.envelope.next_part(LONGEST)?;
        let mut lines = self.channels(&options(&self.plan.common.socket), PATIENCE, 1)?;
        let line = lines.pop().expect("as many lines as were asked for");
        let told = |error: LinkError| Refusal::Told(format!("the server failed to stamp messages: {error}"));
        let socket = line.channel().descriptor().ok_or_else(|| {
            Refusal::Told(format!("the server has no socket of {} to stamp", self.plan.common.transport))
        })?;
        let mut stamped = Stamped::new(socket, self.plan.common.transport).map_err(told)?;
        loop {
            match self.client.hear(self.server.limits.idle)? {
                Ask::Stages { size, count } => self.size(&mut stamped, size, count)?,
                Ask::Collect => return self.say(&Reply::Told),
                _ => {
                    return Err(Refusal::Told(
                        "stages are collected before anything else is asked".to_owned(),
                    ));
                }
            }
        }
    }

    fn size(&mut self, stamped: &mut Stamped<'_>, size: u64, count: u32) -> Result<(), Refusal> {
        let sane =
            (1..=self.largest.min(LARGEST)).contains(&size) && (1..=MOST_MESSAGES + WARM_UP).contains(&count);
        let len = usize::try_from(size).ok().filter(|_| sane).ok_or_else(|| {
            Refusal::Told(format!("{count} stamped messages of {size} B are outside the plan"))
        })?;
        let told = |error: LinkError| {
            Refusal::Told(format!("the server failed to stamp messages of {size} B: {error}"))
        };
        stamped.begin(len).map_err(told)?;
        self.say(&Reply::Go)?;
        let marks = stamped.answer(count).map_err(told)?;
        self.observer.saw(&tally(size, marks.len() as u64), current_cpu());
        self.say(&Reply::Stages(marks))
    }
}
