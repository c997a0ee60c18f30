//! What iperf3's two ends say to each other: a cookie, states of a byte each, and objects of JSON with their length before
//! them.

use std::collections::BTreeMap;

use linerate_core::plan::Plan;
use linerate_core::traffic::{Direction, Load, StreamPlan};
use linerate_core::transport::Transport;
use linerate_core::units::Span;
use linerate_core::{generator::GENERATOR, options::Io};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value, json};

use crate::peers::ToolError;

/// Length of a cookie, with the zero at its end. Unit: bytes.
pub const COOKIE: usize = 37;
/// The most that an object of JSON may have: the results of 256 streams have a fifth of it. Unit: bytes.
pub const MOST_JSON: usize = 1 << 20;
/// What a client's first datagram on a stream holds, and what answers it.
pub const HELLO: [u8; 4] = *b"9876";
/// See [`HELLO`]. Older servers say the other.
pub const ANSWERS: [[u8; 4]; 2] = [*b"6789", [0xb1, 0x68, 0xde, 0x3a]];
/// Length of the header of a datagram with numbers of 64 bits. Unit: bytes.
pub const HEADER: usize = 16;

/// What one end says of the test, in one byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// The streams stand, and the test is about to begin.
    TestStart,
    /// The test runs.
    TestRunning,
    /// The client's word that the test has ended.
    TestEnd,
    /// The client may send its parameters.
    ParamExchange,
    /// The client may open its streams.
    CreateStreams,
    /// The server ends, and the test with it.
    ServerTerminate,
    /// The client ends early.
    ClientTerminate,
    /// Both send their results.
    ExchangeResults,
    /// The server has the client's results.
    DisplayResults,
    /// The client's last word.
    Done,
    /// The server has another client.
    AccessDenied,
    /// The server failed; two numbers follow.
    ServerError,
}

impl State {
    const ALL: [(Self, i8); 12] = [
        (Self::TestStart, 1),
        (Self::TestRunning, 2),
        (Self::TestEnd, 4),
        (Self::ParamExchange, 9),
        (Self::CreateStreams, 10),
        (Self::ServerTerminate, 11),
        (Self::ClientTerminate, 12),
        (Self::ExchangeResults, 13),
        (Self::DisplayResults, 14),
        (Self::Done, 16),
        (Self::AccessDenied, -1),
        (Self::ServerError, -2),
    ];

    /// The byte that says it.
    #[must_use]
    pub fn byte(self) -> u8 {
        Self::ALL.iter().find(|(state, _)| *state == self).map_or(0, |(_, code)| code.cast_unsigned())
    }

    /// The state that `byte` says.
    ///
    /// # Errors
    ///
    /// [`ToolError::Unexpected`] for a byte that says none.
    pub fn of(byte: u8) -> Result<Self, ToolError> {
        let code = byte.cast_signed();
        let known = Self::ALL.iter().find(|(_, known)| *known == code);
        known.map(|(state, _)| *state).ok_or_else(|| ToolError::Unexpected(format!("the state {code}")))
    }
}

/// A cookie of these random bytes.
#[must_use]
pub fn cookie(random: [u8; COOKIE]) -> [u8; COOKIE] {
    const LETTERS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
    let mut cookie = random.map(|byte| LETTERS[usize::from(byte % 32)]);
    cookie[COOKIE - 1] = 0;
    cookie
}

/// The number of the stream at `place`: 2 is never used.
#[must_use]
pub const fn stream_id(place: usize) -> u64 {
    if place == 0 { 1 } else { place as u64 + 2 }
}

/// The parameters of a test of `load` with messages of `length`, as the server reads them.
#[must_use]
pub fn params(plan: &Plan, load: &Load, length: u64) -> Value {
    let bulk = load.stream.clone().unwrap_or_default();
    let socket = &load.socket;
    let udp = plan.common.transport == Transport::Udp;
    let seconds = |span: Span| span.as_ps().div_ceil(Span::from_ms(1_000).as_ps());
    let mut params = Map::new();
    let mut set = |key: &str, value: Value| {
        params.insert(key.to_owned(), value);
    };
    set(if udp { "udp" } else { "tcp" }, json!(true));
    set("omit", json!(seconds(bulk.warm_up)));
    set("time", json!(if bulk.lasts() { seconds(load.time) } else { 0 }));
    set("num", json!(bytes_of_each(&bulk, length).unwrap_or(0).saturating_mul(u64::from(bulk.flows))));
    set("blockcount", json!(0));
    set("parallel", json!(bulk.flows));
    set("len", json!(length));
    set("pacing_timer", json!(1_000));
    set("client_version", json!(GENERATOR));
    let optional = [
        ("reverse", (bulk.direction == Direction::Receive).then_some(Value::Bool(true))),
        ("bidirectional", (bulk.direction == Direction::Both).then_some(Value::Bool(true))),
        ("bandwidth", bulk.rate_each().map(|rate| json!(rate.bits_per_second().ceil().max(1.0) as u64))),
        ("window", socket.rcvbuf.map(|size| json!(size.bytes()))),
        ("MSS", socket.mss.filter(|_| !udp).map(|mss| json!(mss))),
        ("nodelay", (socket.nodelay && !udp).then_some(Value::Bool(true))),
        ("congestion", socket.congestion.as_ref().filter(|_| !udp).map(|name| json!(name))),
        ("TOS", socket.dscp.map(|dscp| json!(u32::from(dscp) << 2))),
        ("zerocopy", (socket.io == Io::Sendfile).then(|| json!(1))),
        ("dont_fragment", socket.dont_fragment.then(|| json!(1))),
        ("udp_counters_64bit", udp.then(|| json!(1))),
        ("server_affinity", plan.common.remote.pin.map(|cpu| json!(cpu))),
    ];
    optional.into_iter().for_each(|(key, value)| value.into_iter().for_each(|value| set(key, value)));
    Value::Object(params)
}

/// How many bytes each flow has, unless time ends it, in messages of `length`.
#[must_use]
pub fn bytes_of_each(bulk: &StreamPlan, length: u64) -> Option<u64> {
    let counted = || bulk.count.map(|count| count.saturating_mul(length));
    bulk.bytes.map(linerate_core::units::Size::bytes).or_else(counted)
}

/// What one end counted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Results {
    /// Processor time of the whole process, in percent of the test's time.
    #[serde(deserialize_with = "number")]
    pub cpu_util_total: f64,
    /// Of that in the program.
    #[serde(deserialize_with = "number")]
    pub cpu_util_user: f64,
    /// Of that in the kernel.
    #[serde(deserialize_with = "number")]
    pub cpu_util_system: f64,
    /// Whether its sender counts what it sends again.
    #[serde(deserialize_with = "number")]
    pub sender_has_retransmits: f64,
    /// Its congestion control.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "text")]
    pub congestion_used: Option<String>,
    /// Its streams.
    #[serde(deserialize_with = "streams")]
    pub streams: Vec<StreamResult>,
}

/// What one end counted of a stream. A number that it does not say is zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StreamResult {
    /// Its number.
    #[serde(deserialize_with = "number", serialize_with = "whole")]
    pub id: f64,
    /// Payload, without what was omitted.
    #[serde(deserialize_with = "number", serialize_with = "whole")]
    pub bytes: f64,
    /// Segments sent again; below zero if unknown.
    #[serde(deserialize_with = "number", serialize_with = "whole")]
    pub retransmits: f64,
    /// Smoothed difference of transit times. Unit: seconds.
    #[serde(deserialize_with = "number")]
    pub jitter: f64,
    /// Datagrams that did not come.
    #[serde(deserialize_with = "number", serialize_with = "whole")]
    pub errors: f64,
    /// Of those, how many before the omitted time was over.
    #[serde(deserialize_with = "number", serialize_with = "whole")]
    pub omitted_errors: f64,
    /// The largest number of a datagram, or how many were sent.
    #[serde(deserialize_with = "number", serialize_with = "whole")]
    pub packets: f64,
    /// The same when the omitted time was over.
    #[serde(deserialize_with = "number", serialize_with = "whole")]
    pub omitted_packets: f64,
    /// When it began, since the test did. Unit: seconds.
    #[serde(deserialize_with = "number")]
    pub start_time: f64,
    /// When it ended. Unit: seconds.
    #[serde(deserialize_with = "number")]
    pub end_time: f64,
}

impl Results {
    /// Reads what a server sent.
    ///
    /// # Errors
    ///
    /// [`ToolError::Json`] for text that is no object.
    pub fn decode(text: &[u8]) -> Result<Self, ToolError> {
        // A list of numbers would be taken for its fields in their order.
        let object: Map<String, Value> = serde_json::from_slice(text)?;
        Ok(serde_json::from_value(Value::Object(object))?)
    }

    /// What it says of the streams, by their numbers.
    #[must_use]
    pub fn by_number(&self) -> BTreeMap<u64, StreamResult> {
        self.streams.iter().map(|stream| (count(stream.id), *stream)).collect()
    }
}

/// A count of another program: what is below zero, or as large as a count below zero that was written without its sign, is
/// none.
#[must_use]
pub fn count(number: f64) -> u64 {
    /// A petabyte an hour for a century.
    const MOST: f64 = 9.0e20;
    const WRAPPED: f64 = 1.8e19;
    if number.is_finite() && (0.0..WRAPPED.min(MOST)).contains(&number) { number as u64 } else { 0 }
}

/// A number, as a number or a truth; anything else is zero.
fn number<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    Ok(match Value::deserialize(from)? {
        Value::Number(number) => number.as_f64().unwrap_or(0.0),
        Value::Bool(truth) => f64::from(u8::from(truth)),
        _ => 0.0,
    })
}

/// A text; anything else is none.
fn text<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    Ok(Value::deserialize(from)?.as_str().map(str::to_owned))
}

/// Streams, without those that are no objects.
fn streams<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<StreamResult>, D::Error> {
    let Value::Array(streams) = Value::deserialize(from)? else { return Ok(Vec::new()) };
    Ok(streams.into_iter().filter_map(|stream| serde_json::from_value(stream).ok()).collect())
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn whole<S: serde::Serializer>(number: &f64, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_i64(*number as i64)
}

/// The head of a datagram of a stream: when it left, and its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DatagramHead {
    /// When it left, on its sender's clock. Unit: microseconds.
    pub sent_us: u64,
    /// From 1.
    pub number: u64,
}

impl DatagramHead {
    /// As it is sent.
    #[must_use]
    pub fn encode(self) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        let seconds = u32::try_from(self.sent_us / 1_000_000 % (1 << 32)).unwrap_or(0);
        bytes[..4].copy_from_slice(&seconds.to_be_bytes());
        bytes[4..8].copy_from_slice(&((self.sent_us % 1_000_000) as u32).to_be_bytes());
        bytes[8..].copy_from_slice(&self.number.to_be_bytes());
        bytes
    }

    /// The head of a datagram, if that is long enough and has a number that a stream can have.
    #[must_use]
    pub fn decode(datagram: &[u8]) -> Option<Self> {
        let (head, _) = datagram.split_first_chunk::<HEADER>()?;
        let word =
            |at: usize| u64::from(u32::from_be_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]));
        let (seconds, micros) = (word(0), word(4));
        let number = word(8) << 32 | word(12);
        (number > 0).then(|| Self { sent_us: seconds * 1_000_000 + micros.min(999_999), number })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_head_is_read_as_it_was_written(sent_us in 0..(1_u64 << 32) * 1_000_000, number in 1_u64..) {
            let head = DatagramHead { sent_us, number };
            let datagram = [head.encode().as_slice(), &[7; 9]].concat();
            prop_assert_eq!(DatagramHead::decode(&datagram), Some(head));
            prop_assert_eq!(DatagramHead::decode(&datagram[..HEADER - 1]), None);
        }

        #[test]
        fn whatever_a_server_says_is_read_or_refused(text: Vec<u8>, number: f64) {
            Results::decode(&text).map(drop).unwrap_or(());
            prop_assert!(count(number) as f64 <= number.abs());
        }
    }

    #[test]
    fn a_state_is_the_byte_that_says_it() {
        for (state, code) in State::ALL {
            assert_eq!((state.byte(), State::of(state.byte()).ok()), (code.cast_unsigned(), Some(state)));
        }
        assert!(State::of(3).is_err());
    }

    #[test]
    fn results_are_read_as_old_and_new_servers_write_them() {
        let text = r#"{"cpu_util_total":1.5,"sender_has_retransmits":18446744073709551615,"streams":[7,
            {"id":3,"bytes":5000000000,"retransmits":18446744073709551615,"jitter":"none","packets":9,"end_time":2.5,"new":[]}]}"#;
        let results = Results::decode(text.as_bytes()).expect("results");
        let stream = results.by_number()[&3];
        assert_eq!(
            (count(stream.bytes), count(stream.retransmits), count(stream.packets)),
            (5_000_000_000, 0, 9)
        );
        assert!((results.cpu_util_total - 1.5).abs() < 1e-9 && stream.jitter == 0.0);
        assert!(Results::decode(b"[]").is_err() && Results::decode(b"{").is_err());
    }

    #[test]
    fn a_cookie_is_letters_and_the_second_stream_is_three() {
        let cookie = cookie(std::array::from_fn(|place| place as u8 * 7));
        assert!(cookie[..36].iter().all(|byte| byte.is_ascii_lowercase() || (b'2'..=b'7').contains(byte)));
        assert_eq!(cookie[36], 0);
        assert_eq!([0, 1, 2].map(stream_id), [1, 3, 4]);
    }
}
