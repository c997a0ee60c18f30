//! The plain transport of a model's hosts.

use linerate_core::units::{Size, Span, SpanText, span_text};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ModelError, require};
use crate::stack::{DATAGRAM_HEADER_BYTES, Kind, Parameters, STREAM_HEADER_BYTES};

/// The plain transport of a model's hosts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct TransportPlan {
    /// A byte stream or datagrams.
    pub kind: Kind,
    /// Window: bytes sent and not yet read by the receiving application.
    pub window: Size,
    /// Most payload of a packet. If absent, what the MTU leaves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mss: Option<Size>,
    /// Header of every packet. If absent, IPv4 and TCP (40 B) or UDP (28 B) without options.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub header: Option<Size>,
    /// Bytes accepted before the first is acknowledged. If absent, the window.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub send_buffer: Option<Size>,
    /// A stream's receiver acknowledges one in this many segments.
    pub acknowledge_every: u32,
    /// A stream retransmits lost segments after this time. Source of the default: Linux's shortest.
    #[serde(with = "span_text")]
    #[schemars(with = "SpanText")]
    pub retransmit_after: Span,
}

impl Default for TransportPlan {
    fn default() -> Self {
        Self {
            kind: Kind::Stream,
            window: Size(256 << 10),
            mss: None,
            header: None,
            send_buffer: None,
            acknowledge_every: 2,
            retransmit_after: Span::from_ms(200),
        }
    }
}

/// Payload in the smallest packet that every IPv4 host must accept (RFC 791).
const LEAST_MTU: u32 = 68;

impl TransportPlan {
    /// The plain transport over a medium with `mtu` (bytes).
    ///
    /// # Errors
    ///
    /// When a value is invalid, or would never let anything be sent.
    pub fn parameters(&self, mtu: u32) -> Result<Parameters, ModelError> {
        require(mtu >= LEAST_MTU, "network.mtu", mtu, "it must be at least 68 B, IPv4's smallest")?;
        let usual = match self.kind {
            Kind::Stream => STREAM_HEADER_BYTES,
            Kind::Datagram => DATAGRAM_HEADER_BYTES,
        };
        let header = self.header.map_or(u64::from(usual), Size::bytes);
        require(
            header < u64::from(mtu),
            "transport.header",
            header,
            "it must be smaller than the network's MTU",
        )?;
        let room = u64::from(mtu) - header;
        let payload = self.mss.map_or(room, Size::bytes);
        let fits = format!("it must be from 1 B to {room} B, what the MTU leaves");
        require((1..=room).contains(&payload), "transport.mss", payload, &fits)?;
        let every = self.acknowledge_every;
        require(
            (1..=1024).contains(&every),
            "transport.acknowledge-every",
            every,
            "it must be from 1 to 1024",
        )?;
        let after = self.retransmit_after;
        let waits = (Span::from_us(1)..=Span::from_ms(3_600_000)).contains(&after);
        require(waits, "transport.retransmit-after", after, "it must be from 1us to 1h")?;
        let least = match self.kind {
            Kind::Stream => payload * u64::from(every),
            Kind::Datagram => payload,
        };
        let reason = format!("it must be from {least} B, the segments acknowledged together, to 1 GiB");
        let allowed = least..=1 << 30;
        let window = if self.kind == Kind::Stream { self.window.bytes() } else { 1 << 30 };
        require(allowed.contains(&window), "transport.window", window, &reason)?;
        let send_buffer = self.send_buffer.unwrap_or(self.window).bytes();
        require(allowed.contains(&send_buffer), "transport.send-buffer", send_buffer, &reason)?;
        let small = |value: u64| u32::try_from(value).unwrap_or(u32::MAX);
        Ok(Parameters {
            kind: self.kind,
            payload_bytes: small(payload),
            header_bytes: small(header),
            window_bytes: window,
            send_buffer_bytes: send_buffer,
            acknowledge_every: every,
            retransmit_after: self.retransmit_after,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mtu_gives_the_payload() {
        let plan = TransportPlan::default();
        assert_eq!(plan.parameters(1500).expect("usual").payload_bytes, 1460);
        let datagram = TransportPlan { kind: Kind::Datagram, ..plan };
        assert_eq!(datagram.parameters(9000).expect("usual").payload_bytes, 8972);
    }

    #[test]
    fn what_could_never_send_is_refused_by_key() {
        let usual = TransportPlan::default;
        let cases = [
            (TransportPlan { window: Size(2919), ..usual() }, "transport.window"),
            (TransportPlan { mss: Some(Size(1461)), ..usual() }, "transport.mss"),
            (TransportPlan { header: Some(Size(1500)), ..usual() }, "transport.header"),
            (TransportPlan { acknowledge_every: 0, ..usual() }, "transport.acknowledge-every"),
            (TransportPlan { send_buffer: Some(Size(100)), ..usual() }, "transport.send-buffer"),
        ];
        for (plan, key) in cases {
            let error = plan.parameters(1500).expect_err(key).to_string();
            assert!(error.starts_with(key), "{error}");
        }
    }
}
