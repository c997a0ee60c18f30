//! The client's end of stamped messages.

use std::ops::ControlFlow;
use std::time::Duration;

use linerate_core::endpoint::LinkError;
use linerate_core::environment::Fact;
use linerate_core::plan::Plan;
use linerate_core::stages::{LARGEST, Marks, Stages, WARM_UP, sizes};
use linerate_core::units::Span;

use super::{Pair, PairError, STEP, TRIAL};
use crate::control::{Ask, Opening, Reply};
use crate::observe::{current_cpu, stamps_in_hardware};
use crate::stages::{LONGEST, Stamped, options, tally};
use crate::wait::PATIENCE;

/// How long the kernels may take to start stamping, and how often to check.
const BEGINNING: Span = Span::from_ms(5_000);
const LOOK: Span = Span::from_ms(1);

impl Pair {
    /// Looks at the stages of the messages that `plan` asks for, over a channel of their own; for
    /// fewer sizes if these take long, or if `watch`, which receives each size, ends them.
    ///
    /// # Errors
    ///
    /// When the channel cannot be opened or fails, or the peer refuses.
    pub fn stages(
        &mut self,
        plan: &Plan,
        mut watch: impl FnMut(u64) -> ControlFlow<()>,
    ) -> Result<Vec<Stages>, PairError> {
        let Some(curve) = plan.curve() else { return Ok(Vec::new()) };
        let Some(messages) = curve.stages else { return Ok(Vec::new()) };
        let sizes = sizes(&curve.sizes(&plan.common)?);
        let setup =
            self.ends.setup(plan, &options(&plan.common.socket), plan.largest()?.min(LARGEST), PATIENCE);
        let mut opened = self.ends.remote.conversation.open(Opening::Stages, &setup, 1)?;
        let line = opened.lines.pop().expect("as many lines as were asked for");
        let socket = line.channel().descriptor().ok_or_else(no_socket)?;
        let mut stamped = Stamped::new(socket, plan.common.transport).map_err(PairError::Stamp)?;
        let same_host =
            self.ends.here.state.environment.same_host(&self.ends.remote.end.environment) == Some(true);
        let hardware = Fact::from(stamps_in_hardware(self.ends.remote.conversation.local.ip()));
        let begun = self.ends.here.clock.now();
        self.await_stamps(&mut stamped)?;
        let mut all = Vec::new();
        for size in sizes {
            if self.ends.here.clock.now().since(begun) >= LONGEST || watch(size).is_break() {
                break;
            }
            let [ours, theirs] = self.rounds(&mut stamped, size, messages + WARM_UP)?;
            let kept = [&ours, &theirs].map(|marks| marks.get(WARM_UP as usize..).unwrap_or_default());
            all.push(Stages { hardware: hardware.clone(), ..Stages::of(size, messages, same_host, kept) });
        }
        self.ends.remote.conversation.say(&Ask::Collect)?;
        match self.ends.remote.conversation.hear(STEP)? {
            Reply::Told => Ok(all),
            other => Err(PairError::unexpected(other)),
        }
    }

    /// Lets messages pass until both kernels stamp what arrives: they begin with it some time after
    /// they were asked. Messages of one byte: of longer ones the last part may be stamped, rightly,
    /// when the first is there already.
    fn await_stamps(&mut self, stamped: &mut Stamped<'_>) -> Result<(), PairError> {
        let begun = self.ends.here.clock.now();
        while self.ends.here.clock.now().since(begun) < BEGINNING {
            let both = self.rounds(stamped, 1, WARM_UP)?;
            if both.iter().all(|marks| marks.last().is_some_and(|last| last.arrived.is_some())) {
                return Ok(());
            }
            std::thread::sleep(LOOK.to_duration());
        }
        let text = format!("none in {BEGINNING}");
        let source = std::io::Error::new(std::io::ErrorKind::TimedOut, text);
        Err(PairError::Stamp(LinkError::System { operation: "wait for stamps of what arrives", source }))
    }

    /// Both ends' marks of `count` messages of `size`.
    fn rounds(
        &mut self,
        stamped: &mut Stamped<'_>,
        size: u64,
        count: u32,
    ) -> Result<[Vec<Marks>; 2], PairError> {
        // The schedule's sizes are below 64 KiB here.
        stamped.begin(usize::try_from(size).unwrap_or(1)).map_err(PairError::Stamp)?;
        self.ends.remote.conversation.say(&Ask::Stages { size, count })?;
        match self.ends.remote.conversation.hear(STEP)? {
            Reply::Go => {}
            other => return Err(PairError::unexpected(other)),
        }
        let ours = stamped.ask(count).map_err(|source| {
            // The server knows best why the channel broke.
            match self.ends.remote.conversation.hear(Duration::from_millis(500)) {
                Err(refused @ PairError::Refused { .. }) => refused,
                _ => PairError::Stamp(source),
            }
        })?;
        let theirs = match self.ends.remote.conversation.hear(TRIAL)? {
            Reply::Stages(marks) if marks.len() <= count as usize => marks,
            other => return Err(PairError::unexpected(other)),
        };
        self.ends.here.observer.saw(&tally(size, ours.len() as u64), current_cpu());
        Ok([ours, theirs])
    }
}

pub(super) fn no_socket() -> PairError {
    let text = "its channel is not one socket";
    let source = std::io::Error::new(std::io::ErrorKind::Unsupported, text);
    PairError::Stamp(LinkError::System { operation: "find the socket to stamp", source })
}
