//! Datagrams of UDP and of Unix sockets: greetings of unknown peers, and what a flow's peer sends.

use linerate_net::transport::{CONTROL_LEN, Cookie, Greeting, HEADER_LEN, Header, Kind, SHORT_LEN};

/// The cookie of the channel, which the corpus holds too.
const COOKIE: Cookie = Cookie(*b"0123456789abcdef");

/// Takes `data` for everything that may arrive at the sockets.
pub fn datagram(data: &[u8]) {
    match Greeting::decode(data) {
        Some(Greeting::Request(request)) => assert_eq!(request.encode(), data),
        Some(Greeting::Reply(reply)) => assert_eq!(reply.encode(), data),
        None => {}
    }
    let Some(header) = Header::decode(data, &COOKIE) else {
        assert_eq!(Header::open(data, &COOKIE), None, "without a header it says nothing");
        return;
    };
    assert_eq!(header.encode(&COOKIE), data[..HEADER_LEN]);
    if let Some(opened) = Header::open(data, &COOKIE) {
        assert_eq!((opened, data.len()), (header, CONTROL_LEN));
        assert_eq!(opened.seal(&COOKIE), data);
    }
    // As it is, and as if the room for it had been shorter.
    for room in [data.len(), HEADER_LEN.min(data.len())] {
        match (header.kind, header.payload(&data[..room], data.len())) {
            (Kind::Data, counted) => assert_eq!(counted, Some(data.len())),
            (Kind::Short, Some(counted)) => assert!(counted < HEADER_LEN && data.len() == SHORT_LEN),
            (Kind::Short, None) => {}
            (Kind::End | Kind::EndHeard | Kind::Ready, counted) => assert_eq!(counted, None),
        }
    }
}
