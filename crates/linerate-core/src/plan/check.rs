//! What a plan can be refused for.

use super::{Plan, PlanError};
use crate::options::MemoryOptions;
use crate::stages;
use crate::traffic::{DATAGRAM_HEADER, MOST_FLOWS};
use crate::transport::Transport;
use crate::units::{Size, Span};

/// The most peers of a stream.
const MOST_HOSTS: usize = 256;

impl Plan {
    /// Checks every value against its range.
    ///
    /// # Errors
    ///
    /// [`PlanError`] for the first value that cannot be carried out.
    pub fn check(&self) -> Result<(), PlanError> {
        let range = PlanError::range;
        range(
            self.time >= Span::from_ms(10) && self.time <= Span::from_ms(86_400_000),
            "time",
            self.time.to_string(),
            "from 10ms to 24h",
        )?;
        range(
            self.ci > 0.0 && self.ci <= 1.0,
            "ci",
            self.ci.to_string(),
            "a share above 0 and up to 1, such as 0.02 for 2 %",
        )?;
        range((1..=10_000).contains(&self.rounds), "rounds", self.rounds.to_string(), "from 1 to 10000")?;
        range(i64::try_from(self.seed).is_ok(), "seed", self.seed.to_string(), "below 2^63")?;
        if let Some(dscp) = self.socket.dscp {
            range(dscp < 64, "dscp", dscp.to_string(), "from 0 to 63")?;
        }
        if let Some(mss) = self.socket.mss {
            range(mss >= 88, "mss", mss.to_string(), "at least 88, Linux's smallest segment")?;
        }
        if let Some(batch) = self.socket.batch {
            range((1..=1024).contains(&batch), "batch", batch.to_string(), "from 1 to 1024 datagrams")?;
        }
        for (field, buffer) in [("sndbuf", self.socket.sndbuf), ("rcvbuf", self.socket.rcvbuf)] {
            let bytes = buffer.map_or(1, Size::bytes);
            range((1..=1 << 30).contains(&bytes), field, bytes.to_string(), "from 1 byte to 1 GiB")?;
        }
        range(self.memory.offset < 4_096, "offset", self.memory.offset.to_string(), "below a page of 4096")?;
        self.check_delivery()?;
        self.check_sharing()?;
        self.check_memory()?;
        self.check_options()?;
        self.check_stages()?;
        self.check_hosts()?;
        self.check_datagrams()?;
        if let Some(stream) = &self.stream {
            stream.check()?;
            let threads = stream.threads.map_or_else(String::new, |threads| threads.to_string());
            let alone = stream.threads.is_none() || !self.transport.is_datagram();
            range(alone, "threads", threads, "left out on datagrams: each flow's account needs a thread")?;
        }
        if let Some(rr) = &self.rr {
            rr.check()?;
            rr.check_on(self.transport)?;
        }
        self.largest().map(drop)
    }

    /// Refuses calls that throw away what arrives where somebody looks at it.
    fn check_delivery(&self) -> Result<(), PlanError> {
        let receives = self.socket.receives();
        let curve = self.stream.is_none() && self.rr.is_none();
        let (looked_at, allowed) = if curve {
            (
                true,
                "one that delivers the bytes, such as send-recv: a curve checks what arrives; streams do not",
            )
        } else {
            (
                self.memory.touch,
                "one that delivers the bytes, such as send-recv: there is nothing to touch else",
            )
        };
        if receives.delivers() || !looked_at {
            return Ok(());
        }
        Err(PlanError::Range { field: "receive-io", value: receives.to_string(), allowed })
    }

    /// Refuses calls that would be others on a thread of many flows.
    fn check_sharing(&self) -> Result<(), PlanError> {
        let shared = self.stream.as_ref().is_some_and(|stream| stream.threads.is_some());
        let asked = [("io", self.socket.io), ("receive-io", self.socket.receives())];
        let waiting = asked.into_iter().find(|(_, io)| shared && !io.returns_at_once());
        waiting.map_or(Ok(()), |(field, io)| {
            let allowed = "one that can be told not to wait, such as send-recv, where threads is given";
            Err(PlanError::Range { field, value: io.to_string(), allowed })
        })
    }

    /// Refuses several hosts where there is no bulk for each, and a host that is named again: it
    /// would wait for itself.
    fn check_hosts(&self) -> Result<(), PlanError> {
        let Some(last) = self.more_hosts.last() else { return Ok(()) };
        let refuse = |value: &str, allowed| {
            Err(PlanError::Range { field: "more-hosts", value: value.to_owned(), allowed })
        };
        if self.stream.is_none() || self.rr.is_some() {
            return refuse(last, "left out but for a stream: only bulk goes to several hosts");
        }
        let mut named: Vec<&String> = self.host.iter().collect();
        if named.is_empty() {
            return refuse(last, "left out where host is");
        }
        if self.more_hosts.len() >= MOST_HOSTS {
            return refuse(last, "at most 255 hosts");
        }
        let flows = self.stream.as_ref().map_or(1, |stream| u64::from(stream.flows));
        if flows.saturating_mul(self.more_hosts.len() as u64 + 1) > u64::from(MOST_FLOWS) {
            return refuse(last, "so few that all have 4096 flows together");
        }
        for host in &self.more_hosts {
            if named.contains(&host) {
                return refuse(host, "another host than the others");
            }
            named.push(host);
        }
        Ok(())
    }

    /// Refuses places in memory for what always lies in one: requests, and messages that are stamped.
    fn check_memory(&self) -> Result<(), PlanError> {
        let bulk = self.stream.is_some() || self.rr.as_ref().is_some_and(|rr| rr.under_load > 0);
        let allowed = match (&self.stages, &self.rr) {
            (Some(_), _) => "left out where stages are asked for: messages that are stamped lie in one place",
            (_, Some(_)) if !bulk => {
                "left out where nothing but requests is asked for: theirs lie in one place"
            }
            _ if self.stream.is_some() && self.transport.is_datagram() => {
                let touched = MemoryOptions { touch: self.memory.touch, ..MemoryOptions::default() };
                let allowed = "left out of bulk on datagrams, but for touch: their messages lie in one place";
                return PlanError::range(self.memory == touched, "memory", self.memory.named(), allowed);
            }
            _ => return Ok(()),
        };
        PlanError::range(self.memory.is_plain(), "memory", self.memory.named(), allowed)
    }

    /// Refuses options that only some datagrams have, where the transport would ignore them.
    fn check_options(&self) -> Result<(), PlanError> {
        let socket = &self.socket;
        let (udp, unix) = (self.transport == Transport::Udp, self.transport == Transport::UnixDatagram);
        let offload = socket.gso || socket.gro || socket.dont_fragment;
        let crosses_none = unix && (socket.dscp.is_some() || socket.busy_poll.is_some());
        for (ok, allowed) in [
            (udp || !offload, "udp for gso, gro and dont-fragment"),
            (udp || unix || socket.batch.is_none(), "udp or unix-datagram for batch"),
            (!crosses_none, "another for dscp and busy-poll: this one crosses no network"),
        ] {
            PlanError::range(ok, "transport", self.transport.to_string(), allowed)?;
        }
        Ok(())
    }

    /// Refuses messages that no datagram carries.
    fn check_datagrams(&self) -> Result<(), PlanError> {
        let bulk = self.stream.as_ref().and_then(|stream| stream.message);
        let headed = matches!(self.transport, Transport::Udp | Transport::UnixDatagram);
        if let Some(message) = bulk.filter(|_| headed) {
            let allowed = "at least 24 B on datagrams, which begin with so much of linerate's own";
            PlanError::range(message.0 >= DATAGRAM_HEADER, "message", message.to_string(), allowed)?;
        }
        let Some(longest) = self.transport.longest_datagram() else { return Ok(()) };
        let curve = if self.has_loads() { None } else { self.sizes()?.into_iter().max().map(Size) };
        let rr = self.rr.as_ref();
        let sizes = [
            ("message", bulk),
            ("request", rr.map(|rr| rr.request)),
            ("response", rr.map(|rr| rr.response)),
            ("the largest size", curve),
        ];
        let allowed = "at most 65507 B over IPv4 and 65527 B over IPv6: one datagram of UDP carries it";
        let mut sizes = sizes.into_iter().filter_map(|(field, size)| Some((field, size?)));
        sizes.try_for_each(|(field, size)| {
            PlanError::range(size.0 <= longest, field, size.to_string(), allowed)
        })
    }

    /// Refuses stages of what the kernel does not stamp.
    fn check_stages(&self) -> Result<(), PlanError> {
        let Some(messages) = self.stages else { return Ok(()) };
        let enough = (stages::FEWEST_MESSAGES..=stages::MOST_MESSAGES).contains(&messages);
        PlanError::range(enough, "stages", messages.to_string(), "from 10 to 200 messages")?;
        PlanError::range(
            stages::stamped(self.transport),
            "transport",
            self.transport.to_string(),
            "tcp or udp where stages are asked for: the kernel stamps the messages of no other",
        )?;
        let verb = if self.rr.is_some() { "rr" } else { "stream" };
        let curve = self.stream.is_none() && self.rr.is_none();
        PlanError::range(
            curve,
            "stages",
            format!("given with [{verb}]"),
            "left out: they belong to a curve",
        )?;
        let allowed = "left out where no size is up to 64 KiB: theirs are looked at";
        PlanError::range(!stages::sizes(&self.sizes()?).is_empty(), "stages", messages.to_string(), allowed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_outside_their_range_are_refused_by_name() {
        for (text, field) in [
            ("ci = 0.0", "ci"),
            ("time = '0s'", "time"),
            ("rounds = 0", "rounds"),
            ("socket.dscp = 64", "dscp"),
            ("socket.batch = 0", "batch"),
            ("socket.batch = 1025", "batch"),
            ("socket.mss = 1", "mss"),
            ("socket.rcvbuf = 0", "rcvbuf"),
            ("from = 2\nto = 1", "from"),
            ("memory.offset = 4096", "offset"),
            ("rr = {}\nmemory.working-set = '1MiB'", "memory is working-set"),
            (
                "rr = {}\nmemory = { touch = true, offset = 1, huge-pages = true }",
                "memory is touch, offset, huge-pages",
            ),
            ("stages = 50\nmemory.touch = true", "memory is touch"),
            ("stages = 9", "stages is 9"),
            ("stages = 201", "stages is 201"),
            ("stages = 50\nschedule = 'list:1048576'", "stages is 50"),
            ("stages = 50\ntransport = 'quic'", "transport is quic"),
            ("stages = 50\nrr = {}", "stages is given with [rr]"),
            ("more-hosts = ['a']", "more-hosts is a; it must be left out but for a stream"),
            ("more-hosts = ['a']\nstream = {}", "more-hosts is a; it must be left out where host is"),
            ("host = 'a'\nmore-hosts = ['b', 'a']\nstream = {}", "more-hosts is a; it must be another host"),
            (
                "stream = {}\ntransport = 'udp'\nmemory.working-set = '1MiB'",
                "memory is working-set; it must be left out",
            ),
            (
                "host = 'a'\nmore-hosts = ['b']\nstream = { flows = 4000 }",
                "more-hosts is b; it must be so few",
            ),
            ("socket.gso = true", "transport is tcp; it must be udp for gso"),
            (
                "transport = 'unix-datagram'\nsocket.gro = true",
                "transport is unix-datagram; it must be udp for gso",
            ),
            (
                "transport = 'ethernet'\nsocket.batch = 2",
                "transport is ethernet; it must be udp or unix-datagram",
            ),
            (
                "transport = 'unix-datagram'\nsocket.dscp = 3",
                "transport is unix-datagram; it must be another",
            ),
            ("socket.io = 'splice'", "receive-io is splice"),
            ("socket.receive-io = 'truncate'", "receive-io is truncate"),
            ("stream = { threads = 1 }\nsocket.io = 'sendfile'", "io is sendfile"),
            (
                "stream = { threads = 1 }\nsocket.receive-io = 'uring-multishot'",
                "receive-io is uring-multishot",
            ),
            ("stream = {}\nmemory.touch = true\nsocket.io = 'splice'", "receive-io is splice"),
        ] {
            let plan = Plan::from_toml(text).expect(text);
            let error = plan.check().expect_err(text);
            assert!(error.to_string().starts_with(field), "{error}");
        }
    }

    #[test]
    fn what_arrives_may_be_thrown_away_where_nobody_looks() {
        for text in
            ["stream = {}\nsocket.io = 'truncate'", "socket.io = 'splice'\nsocket.receive-io = 'send-recv'"]
        {
            Plan::from_toml(text).expect(text).check().expect(text);
        }
    }

    #[test]
    fn places_in_memory_are_those_of_curves_and_of_bulk() {
        for text in ["", "stream = {}", "rr = { under-load = 2 }", "stream = { threads = 1 }"] {
            let text =
                format!("{text}\nmemory = {{ working-set = '1MiB', touch = true, huge-pages = true }}");
            Plan::from_toml(&text).expect(&text).check().expect(&text);
        }
    }
}
