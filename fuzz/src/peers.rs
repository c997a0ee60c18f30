//! What the server of another tool says: its states, its results, its datagrams.

use linerate_net::peers::iperf3::message::{DatagramHead, HEADER, Results, State, count};

/// Takes `data` for what a server of iperf3 says.
pub fn peers(data: &[u8]) {
    if let Some(state) = data.first().and_then(|byte| State::of(*byte).ok()) {
        assert_eq!(state.byte(), data[0]);
    }
    if let Some(head) = DatagramHead::decode(data) {
        assert_eq!(head.encode()[8..], data[8..HEADER], "its number");
    }
    let Ok(results) = Results::decode(data) else { return };
    for (id, stream) in results.by_number() {
        assert_eq!(id, count(stream.id));
        assert!(
            [stream.bytes, stream.packets, stream.errors].into_iter().all(|number| count(number) < u64::MAX)
        );
    }
}
