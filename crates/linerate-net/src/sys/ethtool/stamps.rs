//! Which clocks stamp packets.
#![expect(unsafe_code, reason = "the ioctl gets a pointer to the structure of its command")]

use std::io;

use super::Device;

/// Command number.  Source: `linux/ethtool.h`.
const ETHTOOL_GET_TS_INFO: u32 = 0x41;

/// `struct ethtool_ts_info` of `linux/ethtool.h`.
#[repr(C)]
#[derive(Default)]
struct TsInfo {
    cmd: u32,
    so_timestamping: u32,
    phc_index: i32,
    tx_types: u32,
    tx_reserved: [u32; 3],
    rx_filters: u32,
    rx_reserved: [u32; 3],
}

impl Device {
    /// Whether the adaptor has a clock of its own that stamps what it sends and what it receives.
    pub(crate) fn stamps_in_hardware(&self) -> io::Result<bool> {
        let mut info = TsInfo { cmd: ETHTOOL_GET_TS_INFO, ..TsInfo::default() };
        // SAFETY: ETHTOOL_GET_TS_INFO reads and writes one `ethtool_ts_info`.
        unsafe { self.ask((&raw mut info).cast()) }?;
        let both = libc::SOF_TIMESTAMPING_TX_HARDWARE | libc::SOF_TIMESTAMPING_RX_HARDWARE;
        Ok(info.so_timestamping & both == both)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loopback_has_no_clock_of_its_own() {
        let lo =
            Device::open("lo").and_then(|lo| lo.stamps_in_hardware()).expect("the kernel answers for it");
        assert!(!lo);
    }
}
