//! The addresses at which the channels of a conversation are opened.

use serde::{Deserialize, Serialize};

/// How the initiator finds the address where the responder accepts channels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Rendezvous {
    /// Where.
    #[serde(rename = "place")]
    pub address: ChannelAddress,
    /// The responder's certificate, in DER. The initiator trusts it because the key authenticates
    /// the conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate: Option<Vec<u8>>,
}

/// Where channels arrive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum ChannelAddress {
    /// The port of the conversation itself.
    Conversation,
    /// Another port of the same address.
    Port(u16),
    /// A Unix socket of this abstract name, in the network namespace of the server.
    Local(String),
    /// A port of this context of virtual machines.
    Vsock {
        /// The server's context.
        cid: u32,
        /// Its port.
        port: u32,
    },
    /// An Ethernet station.
    Station {
        /// Its address.
        mac: [u8; 6],
        /// The EtherType of this load's frames.
        ethertype: u16,
    },
}

impl From<ChannelAddress> for Rendezvous {
    fn from(address: ChannelAddress) -> Self {
        Self { address, certificate: None }
    }
}
