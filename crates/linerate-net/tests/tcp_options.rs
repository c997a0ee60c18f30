//! What TCP says in its handshake, it takes from the socket that listens.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use linerate_core::transport::Transport;
use linerate_core::units::Size;
use linerate_net::control::ChannelAddress;
use linerate_net::observe::HostClock;
use linerate_net::transport::{Listener, Setup, listen};

use crate::support::rendezvous::{TOKEN, lines};

const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

#[test]
fn the_first_window_is_that_of_the_buffer_that_was_asked() {
    let asked = 8 << 10;
    let ends = lines(Transport::Tcp, |setup| setup.socket.rcvbuf = Some(Size(asked))).expect("two ends");
    for end in &ends {
        let sample = end.channel().handle().expect("a descriptor").tcp().expect("TCP carries it");
        // The kernel grants twice what is asked. A socket that listens without it offers 64 KB.
        assert!((1..=2 * asked).contains(&sample.snd_wnd), "the peer offers {} B", sample.snd_wnd);
    }
}

#[test]
fn a_port_of_its_own_is_taken_only_for_what_the_handshake_says() {
    let address = |change: &dyn Fn(&mut Setup)| {
        let mut setup = Setup::plain(Transport::Tcp, HostClock::start(), HERE, SocketAddr::new(HERE, 1));
        change(&mut setup);
        match listen(&setup, &TOKEN).expect("a place to listen") {
            Listener::ServerPort(upgrade) => upgrade.rendezvous().address,
            Listener::Separate(place) => place.rendezvous().address,
        }
    };
    assert_eq!(address(&|_| {}), ChannelAddress::Conversation);
    assert_eq!(address(&|setup| setup.socket.nodelay = false), ChannelAddress::Conversation);
    let own: [&dyn Fn(&mut Setup); 3] = [
        &|setup| setup.socket.rcvbuf = Some(Size(1 << 20)),
        &|setup| setup.socket.sndbuf = Some(Size(1 << 20)),
        &|setup| setup.socket.mss = Some(536),
    ];
    for change in own {
        assert!(matches!(address(change), ChannelAddress::Port(1..)));
    }
}
