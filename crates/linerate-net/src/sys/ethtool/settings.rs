//! Ethtool commands whose answer has a fixed shape: driver, link, coalescing, rings.
//!
//! The structures are those of `linux/ethtool.h`, with its names.
#![expect(unsafe_code, reason = "each ioctl gets a pointer to the structure of its command")]

use std::io;

use super::tables::Table;
use super::{Device, text};

/// Command numbers.  Source: `linux/ethtool.h`.
const ETHTOOL_GDRVINFO: u32 = 0x03;
const ETHTOOL_GLINKSETTINGS: u32 = 0x4c;

/// Most words of one link mode mask that the kernel may ask for: it is an `s8`.
const MOST_MASK_WORDS: usize = i8::MAX as usize;

/// Which driver runs a device. A text that the driver does not give is empty.
pub(crate) struct Driver {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) firmware: String,
    pub(crate) bus: String,
}

/// The state of a link.
pub(crate) struct Link {
    /// Unit: Mb/s. Absent if the driver says 0 or `SPEED_UNKNOWN`.
    pub(crate) speed_mbps: Option<u64>,
    /// Absent if the driver says `DUPLEX_UNKNOWN`.
    pub(crate) duplex: Option<Duplex>,
}

/// Whether both ends may send at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Duplex {
    Half,
    Full,
}

#[repr(C)]
struct Drvinfo {
    cmd: u32,
    driver: [u8; 32],
    version: [u8; 32],
    fw_version: [u8; 32],
    bus_info: [u8; 32],
    erom_version: [u8; 32],
    reserved2: [u8; 12],
    n_priv_flags: u32,
    n_stats: u32,
    testinfo_len: u32,
    eedump_len: u32,
    regdump_len: u32,
}

#[repr(C)]
struct LinkSettings {
    cmd: u32,
    speed: u32,
    duplex: u8,
    port: u8,
    phy_address: u8,
    autoneg: u8,
    mdio_support: u8,
    eth_tp_mdix: u8,
    eth_tp_mdix_ctrl: u8,
    link_mode_masks_nwords: i8,
    transceiver: u8,
    master_slave_cfg: u8,
    master_slave_state: u8,
    rate_matching: u8,
    reserved: [u32; 7],
    /// Supported, advertised, and advertised by the link partner.
    link_mode_masks: [u32; 3 * MOST_MASK_WORDS],
}

impl Device {
    /// Driver, its version, firmware and bus address.
    pub(crate) fn driver(&self) -> io::Result<Driver> {
        let mut info = Drvinfo {
            cmd: ETHTOOL_GDRVINFO,
            driver: [0; 32],
            version: [0; 32],
            fw_version: [0; 32],
            bus_info: [0; 32],
            erom_version: [0; 32],
            reserved2: [0; 12],
            n_priv_flags: 0,
            n_stats: 0,
            testinfo_len: 0,
            eedump_len: 0,
            regdump_len: 0,
        };
        // SAFETY: ETHTOOL_GDRVINFO reads and writes one `ethtool_drvinfo`.
        unsafe { self.ask((&raw mut info).cast()) }?;
        Ok(Driver {
            name: text(&info.driver),
            version: text(&info.version),
            firmware: text(&info.fw_version),
            bus: text(&info.bus_info),
        })
    }

    /// Speed and duplex.
    pub(crate) fn link(&self) -> io::Result<Link> {
        // The first call asks how many words a mask has: the kernel answers with the negative.
        let asked = self.link_settings(0)?;
        let words = asked.link_mode_masks_nwords.saturating_neg();
        let answer = if words > 0 { self.link_settings(words)? } else { asked };
        Ok(Link { speed_mbps: known_speed(answer.speed), duplex: known_duplex(answer.duplex) })
    }

    /// `ETHTOOL_GLINKSETTINGS` with masks of `words` words.
    fn link_settings(&self, words: i8) -> io::Result<LinkSettings> {
        let mut settings = LinkSettings {
            cmd: ETHTOOL_GLINKSETTINGS,
            speed: 0,
            duplex: 0,
            port: 0,
            phy_address: 0,
            autoneg: 0,
            mdio_support: 0,
            eth_tp_mdix: 0,
            eth_tp_mdix_ctrl: 0,
            link_mode_masks_nwords: words,
            transceiver: 0,
            master_slave_cfg: 0,
            master_slave_state: 0,
            rate_matching: 0,
            reserved: [0; 7],
            link_mode_masks: [0; 3 * MOST_MASK_WORDS],
        };
        // SAFETY: ETHTOOL_GLINKSETTINGS reads and writes one `ethtool_link_settings` and three
        // masks of `words` words, at most `MOST_MASK_WORDS`, for which there is room.
        unsafe { self.ask((&raw mut settings).cast()) }?;
        Ok(settings)
    }

    /// Interrupt coalescing, as (name of the setting in ethtool(8), value).
    ///
    /// A driver that lacks a setting leaves it 0, which is told apart from a true 0 by nothing;
    /// so the uncommon ones are listed only if they are not 0.
    pub(crate) fn coalescing(&self) -> io::Result<Vec<(&'static str, u32)>> {
        let words = self.words(Table::Coalescing)?;
        let named = COALESCE.iter().zip(&words[1..]);
        Ok(named.filter(|((_, common), value)| *common || **value != 0).map(|((n, _), v)| (*n, *v)).collect())
    }

    /// Descriptors per ring and the most there can be, as (name, value).
    pub(crate) fn rings(&self) -> io::Result<Vec<(&'static str, u32)>> {
        let words = self.words(Table::Rings)?;
        let [_, rx_max, _, _, tx_max, rx, _, _, tx, ..] = words;
        Ok(vec![("rx", rx), ("tx", tx), ("rx-max", rx_max), ("tx-max", tx_max)])
    }
}

/// The words of `struct ethtool_coalesce` after the command, by their name in ethtool(8), and
/// whether drivers commonly have them.
const COALESCE: [(&str, bool); 22] = [
    ("rx-usecs", true),
    ("rx-frames", true),
    ("rx-usecs-irq", false),
    ("rx-frames-irq", false),
    ("tx-usecs", true),
    ("tx-frames", true),
    ("tx-usecs-irq", false),
    ("tx-frames-irq", false),
    ("stats-block-usecs", false),
    ("adaptive-rx", true),
    ("adaptive-tx", true),
    ("pkt-rate-low", false),
    ("rx-usecs-low", false),
    ("rx-frames-low", false),
    ("tx-usecs-low", false),
    ("tx-frames-low", false),
    ("pkt-rate-high", false),
    ("rx-usecs-high", false),
    ("rx-frames-high", false),
    ("tx-usecs-high", false),
    ("tx-frames-high", false),
    ("sample-interval", false),
];

/// The speed, unless it is 0 or `SPEED_UNKNOWN` (-1).
fn known_speed(mbps: u32) -> Option<u64> {
    (mbps != 0 && mbps != u32::MAX).then_some(u64::from(mbps))
}

/// `DUPLEX_HALF` is 0, `DUPLEX_FULL` 1, `DUPLEX_UNKNOWN` 0xff.
fn known_duplex(duplex: u8) -> Option<Duplex> {
    match duplex {
        0 => Some(Duplex::Half),
        1 => Some(Duplex::Full),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_structures_have_the_kernels_sizes() {
        assert_eq!(size_of::<Drvinfo>(), 196);
        assert_eq!(std::mem::offset_of!(LinkSettings, link_mode_masks), 48);
    }

    #[test]
    fn what_the_driver_does_not_know_is_none() {
        assert_eq!([0, u32::MAX, 25_000].map(known_speed), [None, None, Some(25_000)]);
        assert_eq!([0, 1, 0xff].map(known_duplex), [Some(Duplex::Half), Some(Duplex::Full), None]);
        assert_eq!(text(b"virtio_net\0\0rubbish"), "virtio_net");
        assert_eq!(text(b"no end"), "no end");
    }
}
