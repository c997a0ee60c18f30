//! What quinn says of a connection.

use std::time::Duration;

use linerate_core::environment::Fact;
use linerate_core::kernel::TcpSample;
use linerate_core::observation::Connection as Observed;
use linerate_core::options::Granted;
use linerate_core::units::Span;
use quinn::Connection;

use super::super::certificate::SUITE;
use super::CUT;
use super::settings::Settings;
use crate::channel::ChannelHandle;

/// A connection, and what it was set to.
#[derive(Clone, Debug)]
pub(super) struct Flow {
    pub(super) connection: Connection,
    pub(super) settings: Settings,
}

impl Flow {
    pub(super) fn granted(&self) -> Granted {
        let stats = self.connection.stats();
        let Settings { sending, window, headers, .. } = self.settings;
        let mtu = u64::from(stats.path.current_mtu);
        Granted {
            sndbuf: Fact::Known(sending),
            rcvbuf: Fact::Known(window),
            usable_window: Fact::Known(window),
            nodelay: Fact::unknown("QUIC holds no small piece back"),
            congestion: Fact::Known(self.settings.congestion.to_owned()),
            mss: Fact::Known(mtu),
            path_mtu: Fact::Known(mtu + u64::from(headers)),
            dscp: Fact::unknown("quinn sets it to 0 in every datagram"),
            busy_poll: Fact::Known(self.settings.busy_poll),
            timestamps: Fact::unknown("QUIC has no such option"),
            multipath: None,
            cipher: Some(SUITE.to_owned()),
            huge_pages: None,
            pinned: None,
            cpu_latency_us: None,
        }
    }

    /// What has the same meaning in QUIC as in TCP: packets for segments, and packets that were
    /// given up for lost, whose frames are sent again, for segments that are sent again.
    pub(super) fn observed(&self) -> Observed {
        let path = self.connection.stats().path;
        Observed {
            retransmitted: path.lost_packets,
            segments_out: path.sent_packets,
            rtt: span(path.rtt),
            min_rtt: span(path.min_rtt),
            congestion_window: path.cwnd / u64::from(path.current_mtu.max(1)),
            mss: path.current_mtu.into(),
        }
    }
}

impl ChannelHandle for Flow {
    fn cut(&self) {
        self.connection.close(CUT, b"");
    }

    /// The same as far as QUIC has it: no deviation, threshold, rates or shares of time.
    fn tcp(&self) -> Option<TcpSample> {
        let Observed { retransmitted, rtt, min_rtt, congestion_window, mss, .. } = self.observed();
        Some(TcpSample {
            rtt,
            min_rtt,
            cwnd: congestion_window,
            retransmits: retransmitted,
            pmtu: mss + u64::from(self.settings.headers),
            mss,
            sndbuf: self.settings.sending,
            rcvbuf: self.settings.window,
            ..TcpSample::default()
        })
    }
}

fn span(duration: Duration) -> Span {
    Span::from_ns(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX))
}
