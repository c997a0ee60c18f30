//! Raw Ethernet by `AF_XDP`, where this linerate was built with it, and what it says elsewhere.

use std::net::Ipv4Addr;

use crate::support::rendezvous::TOKEN;
use crate::support::stations::setup;
use linerate_core::transport::Transport;
use linerate_net::transport::{Setup, listen};

fn by_xdp(setup: &mut Setup) {
    setup.transport = Transport::Xdp;
}

fn refusal() -> String {
    let mut setup = setup(Ipv4Addr::LOCALHOST, Ipv4Addr::LOCALHOST);
    by_xdp(&mut setup);
    listen(&setup, &TOKEN).expect_err("refused").to_string()
}

#[cfg(not(feature = "xdp"))]
#[test]
fn a_build_without_it_says_how_to_build_with_it() {
    assert_eq!(
        refusal(),
        "use the transport xdp: this linerate was built without AF_XDP; build with `--features xdp`, or \
         use `ethernet`"
    );
}

#[cfg(feature = "xdp")]
mod with_it {
    use linerate_core::traffic::Bound;
    use linerate_core::units::Size;
    use linerate_net::lab::{HERE, THERE};
    use linerate_net::wait::Wait;
    use rstest::rstest;

    use super::*;
    use crate::support::stations::{Stations, datagrams, flow};

    #[rstest]
    fn messages_of_every_size_pass_both_ways_and_to_a_packet_socket(
        #[values(Transport::Xdp, Transport::Ethernet)] other: Transport,
    ) {
        let Some(stations) = Stations::with_xdp(1_500) else { return };
        let mut setups = [setup(HERE, THERE), setup(THERE, HERE)];
        [setups[0].transport, setups[1].transport] = [Transport::Xdp, other];
        let mut ends = stations.between(1, setups).remove(0);
        for _ in 0..2 {
            let [from, to] = &mut ends;
            for size in [1, 14, 15, 1_000, 1_467, 1_468] {
                assert_eq!(
                    from.channel_mut().push(&vec![size as u8; size], Wait::Patiently).expect("it goes"),
                    size
                );
                let mut into = vec![0; size];
                to.channel_mut().pull(&mut into, Wait::Patiently).expect("it comes");
                assert!(into.iter().all(|byte| *byte == size as u8), "{size} B");
            }
            ends.reverse();
        }
        let error = ends[0]
            .channel_mut()
            .push(&[0; 1_469], Wait::Patiently)
            .expect_err("one byte too many")
            .to_string();
        assert_eq!(error, "a message of 1469 B is longer than the 1468 B that one datagram carries here");
    }

    #[rstest]
    fn a_flow_arrives_to_the_byte_or_is_accounted_for_in_either_direction(
        #[values(false, true)] turned: bool,
    ) {
        let Some(stations) = Stations::with_xdp(1_500) else { return };
        let mut ends = stations.ends(by_xdp);
        if turned {
            ends.reverse();
        }
        let [sender, receiver] = flow(ends, 1_000, Bound::Bytes(10_000_001), None, 0);
        let account = datagrams(&receiver);
        assert_eq!((sender.bytes, sender.messages, account.sent), (10_000_001, 10_001, 10_001));
        assert_eq!(account.received + account.dropped_by_socket + account.lost, 10_001, "{account:?}");
        assert_eq!(receiver.messages, account.received);
        assert_eq!(account.duplicated + account.foreign, 0, "{account:?}");
    }

    #[test]
    fn what_a_paused_receiver_has_no_room_for_is_told_apart_from_loss() {
        let Some(stations) = Stations::with_xdp(1_500) else { return };
        let [sender, receiver] = flow(stations.ends(by_xdp), 100, Bound::Count(20_000), None, 2_000_000);
        let account = datagrams(&receiver);
        assert_eq!((sender.messages, account.sent), (20_000, 20_000));
        assert_eq!((account.received, account.dropped_by_socket), (2_048, 17_952), "{account:?}");
        assert_eq!((account.lost, receiver.messages), (0, 2_048), "{account:?}");
    }

    #[test]
    fn an_interface_has_one_flow_and_is_free_again_after_it() {
        let Some(stations) = Stations::with_xdp(1_500) else { return };
        let first = stations.ends(by_xdp);
        let error = stations.call_by(Transport::Xdp).expect_err("the interface is taken").to_string();
        assert_eq!(
            error,
            "use the transport xdp: `wire` has an XDP program or an AF_XDP socket already: there is one \
             flow an interface"
        );
        drop(first);
        let [mut here, mut there] = stations.ends(by_xdp);
        here.channel_mut().push(&[1; 10], Wait::Patiently).expect("it goes");
        there.channel_mut().pull(&mut [0; 10], Wait::Patiently).expect("it comes");
    }

    #[test]
    fn what_it_cannot_do_is_refused_by_name() {
        let Some(stations) = Stations::with_xdp(9_000) else { return };
        let error = stations.call_by(Transport::Xdp).expect_err("too large").to_string();
        assert_eq!(error, "use the transport xdp: the MTU 9000 of `wire` is above the 3826 B of AF_XDP");
        let mut setup = setup(HERE, THERE);
        by_xdp(&mut setup);
        setup.socket.rcvbuf = Some(Size(1 << 20));
        let error = stations.call_as(&setup).expect_err("refused").to_string();
        assert_eq!(error, "set rcvbuf to 1 MiB: the rings of AF_XDP have a fixed size");
    }

    #[test]
    fn without_the_privilege_one_sentence_says_what_to_do() {
        let error = std::thread::spawn(|| {
            let mut sets = rustix::thread::capabilities(None).expect("a thread has some");
            sets.effective.remove(rustix::thread::CapabilitySet::NET_RAW);
            rustix::thread::set_capabilities(None, sets).expect("giving up is allowed");
            refusal()
        });
        let error = error.join().expect("no panic");
        assert!(
            error.starts_with("use the transport xdp: raw Ethernet needs CAP_NET_RAW: run as root"),
            "{error}"
        );
    }
}
