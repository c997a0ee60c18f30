//! The limits of a server.

use std::time::Duration;

use linerate_core::options::MemoryOptions;
use linerate_core::plan::{Asked, Plan};
use linerate_core::traffic::{Bound, DEFAULT_MESSAGE, Load, MOST_FLOWS, RrPlan, StreamPlan};
use linerate_core::units::{Size, Span};

use crate::memory::{Reserved, footprint};

/// What a server allows at most.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Measurements at the same time. Several disturb each other.
    pub slots: usize,
    /// Clients that may wait for a slot.
    pub waiting: usize,
    /// Clients that proved the key, at the same time; and as many connections that did not yet.
    pub connections: usize,
    /// As many of each at most from one address, of IPv6 from one /64.
    pub connections_per_address: usize,
    /// Largest message. Unit: bytes.
    pub size: Size,
    /// Most flows of one load, in each direction.
    pub flows: u32,
    /// Longest measurement, as its plan asks.
    pub time: Span,
    /// Memory for the messages of all running measurements. Unit: bytes.
    pub memory: Size,
    /// How long a client may take for one step of the conversation before its trials.
    pub handshake: Duration,
    /// How long a client may think between two trials.
    pub idle: Duration,
    /// What a measurement may take beyond the time that its plan asks: set-up, the end of a slow
    /// trial, the last look at noise.
    pub grace: Duration,
    /// The first and the last port at which channels arrive that do not come through the server's own. If absent, any
    /// that is free.
    pub data_ports: Option<(u16, u16)>,
    /// Whether clients that trace messages may have programs loaded into this host's kernel (eBPF): they see every
    /// packet and every switch of threads, and tell of the client's own only.
    pub programs: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            slots: 1,
            waiting: 16,
            connections: 64,
            connections_per_address: 32,
            size: Size(1 << 30),
            flows: MOST_FLOWS,
            time: Span::from_ms(600_000),
            memory: Size(4 << 30),
            handshake: Duration::from_secs(5),
            idle: Duration::from_secs(30),
            grace: Duration::from_secs(60),
            data_ports: None,
            programs: false,
        }
    }
}

impl Limits {
    /// Checks a plan against the limits; the largest message in it.
    ///
    /// # Errors
    ///
    /// The reason to refuse it, for the client's user.
    pub(super) fn check(&self, plan: &Plan) -> Result<u64, String> {
        let largest = plan.largest().map_err(|error| error.to_string())?;
        if largest > self.size.0 {
            return Err(format!(
                "messages of {largest} B are above this server's limit of {}; lower --max-size, or raise --max-size at the server",
                self.size
            ));
        }
        if plan.common.time > self.time {
            return Err(format!(
                "{} are above this server's limit of {}; lower --time, or raise --max-time at the server",
                plan.common.time.exact(),
                self.time.exact()
            ));
        }
        let needed = Self::memory_of(plan, largest);
        if plan.has_loads() {
            self.check_flows(needed, &plan.common.memory)?;
        } else if needed > self.memory.0 {
            return Err(format!(
                "messages of {largest} B{} each way need more than this server's {} of memory; lower --max-size{}, or raise --max-memory at the server",
                in_working_set(&plan.common.memory),
                self.memory,
                if plan.common.memory.working_set.is_some() { " or --working-set" } else { "" },
            ));
        }
        Ok(largest)
    }

    /// Memory for the messages of a plan with this `largest` message, each flow of a load by
    /// itself. Unit: bytes.
    pub(super) fn memory_of(plan: &Plan, largest: u64) -> u64 {
        if !plan.has_loads() {
            return Reserved::bytes(largest, &plan.common.memory);
        }
        let loads = plan.loads().unwrap_or_default();
        let needed = loads.iter().map(|Asked { load, .. }| {
            memory_of_flows(load.stream.as_ref(), load.rr.as_ref(), &plan.common.memory)
        });
        needed.max().unwrap_or(0)
    }

    fn check_flows(&self, needed: u64, asked: &MemoryOptions) -> Result<(), String> {
        if needed <= self.memory.0 {
            return Ok(());
        }
        Err(format!(
            "the messages of all flows{} need {needed} B, more than this server's {} of memory; lower --flows{}, or raise --max-memory at the server",
            in_working_set(asked),
            self.memory,
            if asked.working_set.is_some() { " or --working-set" } else { " or --message" },
        ))
    }

    /// Each flow that connects anew may have one connection that comes and one that is just in.
    fn check_anew(&self, rr: &RrPlan) -> Result<(), String> {
        let most = self.connections_per_address.saturating_sub(1) / 2;
        if rr.connect && rr.flows as usize > most {
            return Err(format!(
                "{} flows that connect anew for every transaction are above this server's limit of {most}; lower --flows",
                rr.flows
            ));
        }
        Ok(())
    }

    /// Checks a load of `plan`, whose largest message is `largest`; the longest time it may take.
    ///
    /// # Errors
    ///
    /// The reason to refuse it, for the client's user.
    pub(super) fn check_load(&self, load: &Load, plan: &Plan, largest: u64) -> Result<Span, String> {
        let mut time = load.time;
        let (mut flows, mut message) = (0, 0);
        if let Some(stream) = &load.stream {
            time = match stream.bound(load.time) {
                Bound::Time(span) => span,
                Bound::Bytes(_) | Bound::Count(_) => self.time,
            };
            flows = stream.flows;
            message = stream.message.map_or(0, Size::bytes);
        }
        if let Some(rr) = &load.rr {
            let lasts = rr.lasts(load.time, load.stream.is_some());
            let lasts = lasts.map_or(self.time, |span| load.head_start + rr.warm_up + span);
            time = time.max(lasts);
            self.check_anew(rr)?;
            flows = flows.max(rr.flows);
            message = message.max(rr.request.0).max(rr.response.0);
        }
        if flows > self.flows {
            return Err(format!(
                "{flows} flows are above this server's limit of {}; lower --flows",
                self.flows
            ));
        }
        if message > largest.max(DEFAULT_MESSAGE) {
            return Err(format!("a load of messages of {message} B is outside its plan"));
        }
        let needed = memory_of_flows(load.stream.as_ref(), load.rr.as_ref(), &plan.common.memory);
        self.check_flows(needed, &plan.common.memory)?;
        if needed > Self::memory_of(plan, largest) {
            return Err(format!("a load of {needed} B of messages is outside its plan"));
        }
        if time > self.time {
            return Err(format!(
                "{} is above this server's limit of {}; lower --time",
                time.exact(),
                self.time.exact()
            ));
        }
        Ok(time)
    }
}

/// What the messages of flows take at one end, in each direction by itself. Unit: bytes.
fn memory_of_flows(stream: Option<&StreamPlan>, rr: Option<&RrPlan>, asked: &MemoryOptions) -> u64 {
    let bulk = stream.map_or(0, |stream| {
        let rings = u64::from(stream.flows).saturating_mul(stream.direction.parts().len() as u64);
        let message = stream.message.map_or(DEFAULT_MESSAGE, Size::bytes);
        rings.saturating_mul(footprint(message, asked))
    });
    let requests =
        rr.map_or(0, |rr| u64::from(rr.flows).saturating_mul(rr.request.0.saturating_add(rr.response.0)));
    bulk.saturating_add(requests)
}

/// Where messages go round, for a reason to refuse them; empty where they do not.
fn in_working_set(asked: &MemoryOptions) -> String {
    asked.working_set.map_or_else(String::new, |set| format!(" in a working set of {set}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(text: &str) -> Plan {
        Plan::from_toml(text).expect(text)
    }

    #[test]
    fn a_working_set_counts_as_memory_of_a_curve() {
        let limits = Limits { memory: Size(1 << 20), ..Limits::default() };
        let within = plan("to = 1024\nmemory.working-set = '512KiB'");
        assert_eq!(limits.check(&within), Ok(1027), "1 KiB and its perturbation");
        let above = plan("to = 1024\nmemory.working-set = '513KiB'");
        let reason = limits.check(&above).expect_err("2 x 513 KiB");
        assert!(reason.contains("working set of 513 KiB") && reason.contains("--working-set"), "{reason}");
    }

    #[test]
    fn a_working_set_counts_as_memory_of_every_flow() {
        let limits = Limits { memory: Size(4 << 20), ..Limits::default() };
        let check = |flows: u32, more: &str| {
            let plan = plan(&format!("stream = {{ flows = {flows}{more} }}\nmemory.working-set = '1MiB'"));
            let stream = plan.stream().map(|task| task.bulk.clone());
            let load = Load { stream, time: Span::from_ms(1), ..Load::default() };
            let offered = limits.check(&plan).map(drop);
            assert_eq!(offered, limits.check_load(&load, &plan, DEFAULT_MESSAGE).map(drop));
            offered
        };
        assert_eq!((check(4, ""), check(2, ", direction = 'both'")), (Ok(()), Ok(())));
        for (flows, more) in [(5, ""), (3, ", direction = 'both'")] {
            let reason = check(flows, more).expect_err("5 and 6 MiB");
            assert!(reason.contains("all flows in a working set of 1 MiB need"), "{reason}");
        }
    }

    #[test]
    fn huge_pages_and_messages_that_nobody_named_count_as_memory_too() {
        let limits = Limits { memory: Size(4 << 20), ..Limits::default() };
        for (text, fits) in [
            ("stream = { flows = 32 }", true),
            ("stream = { flows = 33 }", false),
            ("stream = { flows = 2 }\nmemory.huge-pages = true", true),
            ("stream = { flows = 3 }\nmemory.huge-pages = true", false),
        ] {
            assert_eq!(limits.check(&plan(text)).is_ok(), fits, "{text}");
        }
    }

    #[test]
    fn a_load_has_no_more_memory_than_its_plan_said() {
        let plan = plan("stream = { flows = 2 }");
        let stream = StreamPlan { flows: 3, ..StreamPlan::default() };
        let load = Load { stream: Some(stream), time: Span::from_ms(1), ..Load::default() };
        let reason = Limits::default().check_load(&load, &plan, DEFAULT_MESSAGE).expect_err("3 are more");
        assert!(reason.contains("outside its plan"), "{reason}");
    }
}
