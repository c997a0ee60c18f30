//! The server's end of traced messages.

use linerate_core::endpoint::LinkError;
use linerate_core::plan::{LARGEST_TRACED, MOST_TRACED, TracePlan};
use linerate_core::stages::WARM_UP;

use super::session::{Refusal, Session};
use crate::control::{Ask, Reply, Telling};
use crate::observe::current_cpu;
use crate::stages::tally;
use crate::trace::{Role, Tracer};

/// How many messages' marks one message of the conversation has room for.
const MARKS_OF_A_FRAME: usize = 48;

impl Session<'_> {
    /// Answers traced messages, block by block, until the client ends them.
    pub(super) fn trace(&mut self) -> Result<(), Refusal> {
        let Some(asked) = self.plan.trace() else {
            return Err(Refusal::Told("the plan asks for no trace".to_owned()));
        };
        let line = self.line.take().ok_or_else(|| Refusal::Told("the channel is not open".to_owned()))?;
        let told = |error: LinkError| Refusal::Told(format!("the server failed to trace messages: {error}"));
        let socket = line.channel().descriptor().ok_or_else(|| {
            Refusal::Told(format!("the server has no socket of {} to trace", self.plan.common.transport))
        })?;
        let mut tracer = Tracer::new(socket, self.allowed(asked)).map_err(told)?;
        self.say(&Reply::Tracer(Box::new(tracer.end().clone())))?;
        self.envelope.next_part(self.plan.common.time)?;
        loop {
            match self.client.hear(self.server.limits.idle)? {
                Ask::Traced { size, warm_up, count, telling } => {
                    self.block(&mut tracer, size, [warm_up, count], telling)?;
                }
                Ask::Collect => break,
                _ => {
                    let text = "traced messages are ended before anything else is asked";
                    return Err(Refusal::Told(text.to_owned()));
                }
            }
        }
        drop(tracer);
        self.line = Some(line);
        self.say(&Reply::Told)
    }

    /// Why there are to be no programs in the kernel, if so: empty where the client wants none.
    fn allowed(&self, asked: &TracePlan) -> Result<(), String> {
        match (asked.timestamps, self.server.limits.programs) {
            (true, _) => Err(String::new()),
            (false, false) => Err("the server does not allow eBPF (serve --allow-trace)".to_owned()),
            (false, true) => Ok(()),
        }
    }

    fn block(
        &mut self,
        tracer: &mut Tracer<'_>,
        size: u64,
        [warm_up, count]: [u32; 2],
        telling: Telling,
    ) -> Result<(), Refusal> {
        let sane = (1..=self.largest.min(LARGEST_TRACED)).contains(&size)
            && (1..=MOST_TRACED).contains(&count)
            && warm_up <= WARM_UP;
        let len = usize::try_from(size).ok().filter(|_| sane).ok_or_else(|| {
            Refusal::Told(format!("{count} traced messages of {size} B are outside the plan"))
        })?;
        let told = |error: LinkError| {
            Refusal::Told(format!("the server failed to trace messages of {size} B: {error}"))
        };
        tracer.prepare(len, telling).map_err(told)?;
        self.say(&Reply::Go)?;
        let block = tracer.run(Role::Responder, size, [warm_up, count]).map_err(told)?;
        self.observer.saw(&tally(size, u64::from(warm_up) + u64::from(count)), current_cpu());
        let mut stamps = block.stamps.chunks(MARKS_OF_A_FRAME);
        for marks in block.marks.chunks(MARKS_OF_A_FRAME) {
            let stamps = stamps.next().filter(|_| telling == Telling::Both).unwrap_or_default();
            self.say(&Reply::Traced(marks.to_vec(), stamps.to_vec()))?;
        }
        self.say(&Reply::Packets(block.packets, block.lost))
    }
}
