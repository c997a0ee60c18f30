//! Two ends of a channel that meet in one process as the two processes do.

use std::fmt::Display;
use std::io::{Read as _, Write as _};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::time::Duration;

use linerate_core::transport::Transport;
use linerate_net::control::{ChannelToken, Deadline, GREETING_LEN, Rendezvous};
use linerate_net::line::Line;
use linerate_net::observe::HostClock;
use linerate_net::transport::{Listen, Listener, Setup, TransportError, join, listen};

pub(crate) const TOKEN: ChannelToken = [9; 16];
/// Longer than any transport takes to come together on one host.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);
/// As long as the server looks for channels.
pub(crate) const LOOK: Duration = Duration::from_millis(50);

/// The initiator and the responder.
pub(crate) type Ends = [Box<dyn Line>; 2];

/// The responder's side.
#[derive(Debug)]
pub(crate) struct Answering {
    /// What stands for the server's own port.
    accepting: TcpListener,
    pub(crate) listener: Listener,
    pub(crate) setup: Setup,
}

impl Answering {
    /// At this address of the host, with the set-up that `change` alters.
    pub(crate) fn at(
        local: IpAddr,
        transport: Transport,
        change: impl Fn(&mut Setup),
    ) -> Result<Self, TransportError> {
        let mut setup = Setup::plain(transport, HostClock::start(), local, SocketAddr::new(local, 0));
        change(&mut setup);
        Self::of(setup)
    }

    /// With this set-up, whose peer gets the server's port.
    pub(crate) fn of(mut setup: Setup) -> Result<Self, TransportError> {
        let accepting = TcpListener::bind((setup.local, 0)).expect("a free port");
        setup.peer.set_port(accepting.local_addr().expect("it listens").port());
        Ok(Self { listener: listen(&setup, &TOKEN)?, accepting, setup })
    }

    pub(crate) fn rendezvous(&self) -> Rendezvous {
        match &self.listener {
            Listener::ServerPort(upgrade) => upgrade.rendezvous(),
            Listener::Separate(host) => host.rendezvous(),
        }
    }

    /// The next channel that arrives, and the number of its flow.
    pub(crate) fn accept(&mut self) -> Result<(u32, Box<dyn Line>), TransportError> {
        match &mut self.listener {
            // As the server does: the other end greets and sends the preface.
            Listener::ServerPort(upgrade) => {
                let (mut stream, _) = self.accepting.accept().expect("the other end connects");
                let (mut opening, mut flow) = ([0; GREETING_LEN + TOKEN.len()], [0; 4]);
                stream.read_exact(&mut opening).expect("a greeting and a token");
                stream.read_exact(&mut flow).expect("a number");
                stream.write_all(&[6]).expect("the other end waits for it");
                Ok((u32::from_be_bytes(flow), upgrade.upgrade(stream)?))
            }
            Listener::Separate(host) => accept(host.as_mut()),
        }
    }

    /// Both ends of a channel whose initiator goes by `setup` and `rendezvous`.
    pub(crate) fn meet(
        &mut self,
        setup: &Setup,
        rendezvous: &Rendezvous,
    ) -> [Result<Box<dyn Line>, TransportError>; 2] {
        std::thread::scope(|scope| {
            let begun = scope.spawn(|| join(setup, rendezvous, &TOKEN, 0));
            let answered = self.accept().map(|(_, line)| line);
            [begun.join().expect("it does not panic"), answered]
        })
    }

    /// Both ends of a channel between ends of the same set-up.
    pub(crate) fn ends(&mut self) -> Result<Ends, TransportError> {
        let (setup, rendezvous) = (self.setup.clone(), self.rendezvous());
        let [begun, answered] = self.meet(&setup, &rendezvous);
        Ok([begun?, answered?])
    }
}

/// The next channel that arrives at a place of its own, and the number of its flow.
pub(crate) fn accept(host: &mut dyn Listen) -> Result<(u32, Box<dyn Line>), TransportError> {
    let deadline = Deadline::after(PATIENCE);
    while deadline.left().is_ok() {
        match host.accept(Deadline::after(LOOK)) {
            Err(TransportError::Late) => {}
            arrived => return arrived,
        }
    }
    Err(TransportError::Late)
}

/// Both ends of a channel of `transport` on the loopback, for messages up to 8 MiB.
pub(crate) fn lines(transport: Transport, change: impl Fn(&mut Setup)) -> Result<Ends, TransportError> {
    lines_at(Ipv4Addr::LOCALHOST.into(), transport, change)
}

/// The same on another address of the host.
pub(crate) fn lines_at(
    local: IpAddr,
    transport: Transport,
    change: impl Fn(&mut Setup),
) -> Result<Ends, TransportError> {
    let large = |setup: &mut Setup| {
        setup.largest = 8 << 20;
        change(setup);
    };
    Answering::at(local, transport, large)?.ends()
}

/// Whether this host has the transport. If it has not, what it says is checked.
pub(crate) fn there_is(transport: Transport) -> bool {
    match lines(transport, |_| {}) {
        Ok(_) => true,
        Err(error @ TransportError::Lacking { .. }) => {
            is_refused(transport, &error);
            false
        }
        Err(error) => panic!("{error}"),
    }
}

/// Checks that a transport which a host may lack is refused by its name, with what to do.
pub(crate) fn is_refused(transport: Transport, error: &impl Display) {
    let advice: &[&str] = match transport {
        Transport::Mptcp => &["sysctl", "CONFIG_"],
        Transport::Vsock => &["modprobe", "/dev/"],
        Transport::Memory => &["without a host"],
        Transport::Mpi => &["`mpirun -n 2 linerate-mpi measure`"],
        Transport::Xdp => &["`--features xdp`", "the MTU 65536 of `lo`"],
        _ => &[],
    };
    let error = error.to_string();
    assert!(error.contains(&format!("use the transport {transport}: ")), "failed to {error}");
    assert!(advice.iter().any(|words| error.contains(words)), "failed to {error}");
    eprintln!("skipped: failed to {error}");
}
