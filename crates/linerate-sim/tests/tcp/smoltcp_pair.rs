//! Two hosts of smoltcp on a path in virtual time: somebody else's TCP, to compare ours with.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use smoltcp::iface::{Config, Interface, PollResult, SocketHandle, SocketSet};
use smoltcp::phy::{Device, DeviceCapabilities, Medium, RxToken, TxToken};
use smoltcp::socket::tcp::{CongestionControl, Socket, SocketBuffer};
use smoltcp::time::{Duration, Instant};
use smoltcp::wire::{HardwareAddress, IpAddress, IpCidr, Ipv4Packet, TcpPacket};

/// What the oracle is asked to do: one bulk transfer, everything in whole microseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Transfer {
    pub(crate) bytes: u64,
    pub(crate) mtu: u32,
    /// The receive buffer, which smoltcp offers whole as its window. Unit: bytes.
    pub(crate) window: u64,
    pub(crate) send_buffer: u64,
    /// One way.
    pub(crate) delay_us: u64,
    pub(crate) delayed_ack_ms: Option<u64>,
    pub(crate) reno: bool,
}

/// What became of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// When the last byte was read. Unit: us.
    pub(crate) took_us: u64,
    pub(crate) data_segments: u64,
    pub(crate) acknowledgements: u64,
}

/// The wire: a byte takes a microsecond.
pub(crate) const RATE: u64 = 8_000_000;

/// The end of a wire in a host.
struct Plug {
    mtu: usize,
    inbox: Option<Vec<u8>>,
    outbox: Vec<Vec<u8>>,
}

struct Received(Vec<u8>);
struct Outgoing<'a>(&'a mut Vec<Vec<u8>>);

impl RxToken for Received {
    fn consume<R, F: FnOnce(&[u8]) -> R>(self, take: F) -> R {
        take(&self.0)
    }
}

impl TxToken for Outgoing<'_> {
    fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, length: usize, fill: F) -> R {
        let mut packet = vec![0; length];
        let result = fill(&mut packet);
        self.0.push(packet);
        result
    }
}

impl Device for Plug {
    type RxToken<'a> = Received;
    type TxToken<'a> = Outgoing<'a>;

    fn receive(&mut self, _: Instant) -> Option<(Received, Outgoing<'_>)> {
        let packet = self.inbox.take()?;
        Some((Received(packet), Outgoing(&mut self.outbox)))
    }

    fn transmit(&mut self, _: Instant) -> Option<Outgoing<'_>> {
        Some(Outgoing(&mut self.outbox))
    }

    fn capabilities(&self) -> DeviceCapabilities {
        let mut capabilities = DeviceCapabilities::default();
        capabilities.medium = Medium::Ip;
        capabilities.max_transmission_unit = self.mtu;
        capabilities
    }
}

struct Host {
    plug: Plug,
    interface: Interface,
    sockets: SocketSet<'static>,
    socket: SocketHandle,
    wire_free_us: u64,
    data_segments: u64,
    bare_segments: u64,
}

impl Host {
    fn new(transfer: &Transfer, number: u8) -> Self {
        let mut plug = Plug { mtu: transfer.mtu as usize, inbox: None, outbox: Vec::new() };
        let mut interface = Interface::new(Config::new(HardwareAddress::Ip), &mut plug, Instant::ZERO);
        interface.update_ip_addrs(|addresses| {
            addresses.push(IpCidr::new(address(number), 24)).expect("there is room for one address");
        });
        let buffer = |bytes: u64| SocketBuffer::new(vec![0; bytes as usize]);
        let mut socket = Socket::new(buffer(transfer.window), buffer(transfer.send_buffer));
        // smoltcp has no other rule against small segments.
        socket.set_nagle_enabled(true);
        socket.set_ack_delay(transfer.delayed_ack_ms.map(Duration::from_millis));
        let control = if transfer.reno { CongestionControl::Reno } else { CongestionControl::None };
        socket.set_congestion_control(control);
        let mut sockets = SocketSet::new(Vec::new());
        let socket = sockets.add(socket);
        Self { plug, interface, sockets, socket, wire_free_us: 0, data_segments: 0, bare_segments: 0 }
    }

    fn socket(&mut self) -> &mut Socket<'static> {
        self.sockets.get_mut(self.socket)
    }
}

fn address(number: u8) -> IpAddress {
    IpAddress::v4(10, 0, 0, number)
}

struct Pair {
    transfer: Transfer,
    hosts: [Host; 2],
    now_us: u64,
    on_the_way: BinaryHeap<Reverse<(u64, u64)>>,
    packets: BTreeMap<u64, (usize, Vec<u8>)>,
    sequence: u64,
    left_to_write: u64,
    read: u64,
}

/// Lets smoltcp do a transfer.
pub(crate) fn run(transfer: Transfer) -> Outcome {
    let hosts = [1, 2].map(|number| Host::new(&transfer, number));
    let mut pair = Pair {
        transfer,
        hosts,
        now_us: 0,
        on_the_way: BinaryHeap::new(),
        packets: BTreeMap::new(),
        sequence: 0,
        left_to_write: transfer.bytes,
        read: 0,
    };
    pair.hosts[1].socket().listen(5002).expect("the port is free");
    let Host { interface, sockets, socket, .. } = &mut pair.hosts[0];
    let client = sockets.get_mut::<Socket>(*socket);
    client.connect(interface.context(), (address(2), 5002), 5001).expect("the port is free");
    pair.turn(0);
    while pair.read < transfer.bytes {
        pair.step();
    }
    Outcome {
        took_us: pair.now_us,
        data_segments: pair.hosts[0].data_segments,
        acknowledgements: pair.hosts[1].bare_segments,
    }
}

impl Pair {
    /// The next thing that happens: what arrives first, then timers.
    fn step(&mut self) {
        let arrival = self.on_the_way.peek().map(|Reverse((at, _))| *at);
        let now = Instant::from_micros(self.now_us as i64);
        let timers = self.hosts.each_mut().map(|host| host.interface.poll_at(now, &host.sockets));
        let timer = timers.into_iter().flatten().min().map(|at| at.total_micros() as u64);
        let next = arrival.into_iter().chain(timer).min().expect("something is to happen");
        assert!(next < 100_000_000, "the oracle stands still");
        self.now_us = self.now_us.max(next);
        if let Some(Reverse((at, key))) = self.on_the_way.peek().copied()
            && at <= self.now_us
        {
            self.on_the_way.pop();
            let (to, packet) = self.packets.remove(&key).expect("it was put there");
            self.hosts[to].plug.inbox = Some(packet);
            self.turn(to);
            return;
        }
        self.turn(0);
        self.turn(1);
    }

    /// A host takes what is in its inbox, sends what that makes it send, and lets its application go on.
    fn turn(&mut self, index: usize) {
        let now = Instant::from_micros(self.now_us as i64);
        let Host { plug, interface, sockets, .. } = &mut self.hosts[index];
        if plug.inbox.is_some() {
            interface.poll_ingress_single(now, plug, sockets);
        }
        for _ in 0..2 {
            let Host { plug, interface, sockets, .. } = &mut self.hosts[index];
            while interface.poll_egress(now, plug, sockets) != PollResult::None {}
            self.application(index);
        }
        let Host { plug, interface, sockets, .. } = &mut self.hosts[index];
        while interface.poll_egress(now, plug, sockets) != PollResult::None {}
        for packet in std::mem::take(&mut self.hosts[index].plug.outbox) {
            self.send(index, packet);
        }
    }

    fn application(&mut self, index: usize) {
        let socket = self.hosts[index].sockets.get_mut::<Socket>(self.hosts[index].socket);
        if index == 1 {
            while socket.can_recv() {
                let taken = socket.recv(|bytes| (bytes.len(), bytes.len())).expect("it can receive");
                self.read += taken as u64;
            }
        } else if socket.can_send() && self.left_to_write > 0 {
            let left = self.left_to_write;
            let most = |room: &mut [u8]| room.len().min(left as usize);
            let given = socket.send(|room| (most(room), most(room))).expect("it can send");
            self.left_to_write -= given as u64;
        }
    }

    fn send(&mut self, from: usize, packet: Vec<u8>) {
        let host = &mut self.hosts[from];
        let ip = Ipv4Packet::new_checked(&packet[..]).expect("smoltcp sends IP");
        let segment = TcpPacket::new_checked(ip.payload()).expect("it carries TCP");
        if !segment.payload().is_empty() {
            host.data_segments += 1;
        } else if !segment.syn() && !segment.fin() {
            host.bare_segments += 1;
        }
        let frame = (packet.len() as u64 + 38).max(84);
        host.wire_free_us = host.wire_free_us.max(self.now_us) + frame * 8_000_000 / RATE;
        self.sequence += 1;
        self.on_the_way.push(Reverse((host.wire_free_us + self.transfer.delay_us, self.sequence)));
        self.packets.insert(self.sequence, (1 - from, packet));
    }
}
