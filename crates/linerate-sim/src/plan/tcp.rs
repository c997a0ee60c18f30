//! TCP between the two hosts of a curve, in a plan.

use linerate_core::tables;
use linerate_core::units::Size;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use toml::Table;

use super::{ModelError, overlay, require};
use crate::tcp::{Personality, Rules, Settings};

/// Room for the headers with every option, and some data. Unit: bytes.
const LEAST_MTU: u32 = 128;
/// Linux's `TCP_MIN_MSS`. Unit: bytes.
const LEAST_MSS: u64 = 48;
/// The largest window with window scaling (RFC 7323, 2.3). Unit: bytes.
const MOST_BUFFER: u64 = 1 << 30;

/// TCP between the two hosts of a curve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "Written", into = "Written")]
pub struct TcpPlan {
    /// The rules of the kernel at both ends.
    pub rules: Rules,
    /// `SO_RCVBUF` as asked. If absent, the kernel's default.
    pub receive_buffer: Option<Size>,
    /// `SO_SNDBUF` as asked. If absent, the kernel's default.
    pub send_buffer: Option<Size>,
    /// `TCP_NODELAY`.
    pub nodelay: bool,
    /// `TCP_MAXSEG`.
    pub mss: Option<Size>,
}

/// The written form: a kernel by its name, and the rules that differ.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct Written {
    /// The kernel at both ends, by its name.
    personality: String,
    /// `SO_RCVBUF` as asked. If absent, the kernel's default.
    #[serde(skip_serializing_if = "Option::is_none")]
    receive_buffer: Option<Size>,
    /// `SO_SNDBUF` as asked. If absent, the kernel's default.
    #[serde(skip_serializing_if = "Option::is_none")]
    send_buffer: Option<Size>,
    /// `TCP_NODELAY`.
    nodelay: bool,
    /// `TCP_MAXSEG`.
    #[serde(skip_serializing_if = "Option::is_none")]
    mss: Option<Size>,
    /// Rules of the kernel that differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "rules_schema")]
    rules: Option<Table>,
}

fn rules_schema(_: &mut SchemaGenerator) -> Schema {
    overlay::schema::<Rules>()
}

impl Default for Written {
    fn default() -> Self {
        Self {
            personality: "linux-modern".to_owned(),
            receive_buffer: None,
            send_buffer: None,
            nodelay: true,
            mss: None,
            rules: None,
        }
    }
}

impl TryFrom<Written> for TcpPlan {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, String> {
        let name = &written.personality;
        let shipped = Personality::find(name).ok_or_else(|| {
            let names: Vec<&str> = Personality::ALL.iter().map(|personality| personality.name).collect();
            format!("tcp.personality is `{name}`; it must be one of {}", names.join(", "))
        })?;
        let mut table: Table = shipped.text.parse().expect("shipped rules are read in a test");
        overlay::lay(&mut table, written.rules.unwrap_or_default());
        let rules = tables::read::<Rules>(&table).map_err(|error| error.message().to_owned())?;
        rules.check().map_err(|error| format!("tcp.rules: {error}"))?;
        let Written { receive_buffer, send_buffer, nodelay, mss, .. } = written;
        Ok(Self { rules, receive_buffer, send_buffer, nodelay, mss })
    }
}

impl From<TcpPlan> for Written {
    fn from(plan: TcpPlan) -> Self {
        let personality = plan.rules.name.clone();
        let rules = Table::try_from(&plan.rules).expect("rules have a TOML form");
        let TcpPlan { receive_buffer, send_buffer, nodelay, mss, .. } = plan;
        Self { personality, receive_buffer, send_buffer, nodelay, mss, rules: Some(rules) }
    }
}

impl Default for TcpPlan {
    fn default() -> Self {
        Self::try_from(Written::default()).expect("the usual kernel is shipped")
    }
}

impl TcpPlan {
    /// The settings of an end on an interface with `mtu` (bytes).
    ///
    /// # Errors
    ///
    /// When a value is invalid.
    pub fn settings(&self, mtu: u32) -> Result<Settings, ModelError> {
        require(mtu >= LEAST_MTU, "network.mtu", mtu, "TCP needs at least 128 B")?;
        if let Some(mss) = self.mss {
            let ok = (LEAST_MSS..=u64::from(mtu)).contains(&mss.bytes());
            require(ok, "tcp.mss", mss, &format!("it must be from {LEAST_MSS} B to the MTU, {mtu} B"))?;
        }
        for (key, buffer) in
            [("tcp.receive-buffer", self.receive_buffer), ("tcp.send-buffer", self.send_buffer)]
        {
            let ok = buffer.is_none_or(|buffer| (1..=MOST_BUFFER).contains(&buffer.bytes()));
            require(ok, key, buffer.unwrap_or_default(), "it must be from 1 B to 1 GiB")?;
        }
        Ok(Settings {
            rules: self.rules.clone(),
            mtu,
            mss: self.mss.map(|mss| u32::try_from(mss.bytes()).unwrap_or(u32::MAX)),
            receive_buffer: self.receive_buffer,
            send_buffer: self.send_buffer,
            nodelay: self.nodelay,
        })
    }
}

#[cfg(test)]
mod tests {
    use linerate_core::units::Span;

    use super::*;

    fn plan(text: &str) -> Result<TcpPlan, toml::de::Error> {
        toml::from_str(text)
    }

    #[test]
    fn what_a_plan_says_is_laid_over_a_kernel() {
        let tcp = plan("personality = 'linux-2.2.1'\n[rules.timers]\ntick = '1ms'").expect("a kernel");
        assert_eq!((tcp.rules.name.as_str(), tcp.rules.timers.tick), ("linux-2.1.121", Span::from_ms(1)));
        let text = toml::to_string(&tcp).expect("it has a TOML form");
        assert_eq!(plan(&text).expect("it was written so"), tcp);
    }

    #[test]
    fn rules_that_no_kernel_could_have_are_refused() {
        for (text, said) in [
            ("personality = 'linux-9'", "linux-modern"),
            ("[rules.timers]\ntick = '0s'", "timers.tick"),
            ("[rules.window]\nshare = [1, 0]", "window.share"),
            ("[rules.congestion]\nduplicates = 0", "congestion.duplicates"),
            ("[rules.congestion]\nwindow = 1", "unknown field `window`"),
        ] {
            let error = plan(text).expect_err(text).to_string();
            assert!(error.contains(said), "{text}: {error}");
        }
    }
}
