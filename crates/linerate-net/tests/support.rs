//! A server on the loopback that ends with the test, and clients that do not behave.

#[path = "../../linerate-core/tests/support/carrier_conformance.rs"]
pub(crate) mod carrier_conformance;
#[path = "../../linerate-core/tests/support/comm_conformance.rs"]
pub(crate) mod comm_conformance;
#[path = "../../linerate-core/tests/support/conformance.rs"]
pub(crate) mod conformance;
pub(crate) mod conversation;
#[path = "../../linerate-core/tests/support/datagrams.rs"]
pub(crate) mod datagrams;
pub(crate) mod engines;
pub(crate) mod flows;
#[path = "../../linerate-core/tests/support/guard.rs"]
pub(crate) mod guard;
pub(crate) mod lines;
pub(crate) mod relay;
pub(crate) mod rendezvous;
pub(crate) mod rude;
pub(crate) mod stations;

use std::fmt::Display;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};
use std::ops::ControlFlow;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::process::Command;
use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::JoinHandle;

use linerate_core::carrier::{CarriedLoad, Carrier as _, LoadWatch, Look};
use linerate_core::plan::{Common, Plan, RrPlan, StreamTask, Task};
use linerate_core::traffic::{Load, Transfer};
use linerate_net::control::Key;
use linerate_net::lab::{LabError, TwoHosts};
use linerate_net::observe::HostClock;
use linerate_net::pair::{Loads, Pair, PairError, Peers, Target};
use linerate_net::serve::{Limits, ServeError, Server};
use socket2::{Domain, Socket, Type};

/// A running server.
pub(crate) struct TestServer {
    pub(crate) address: SocketAddr,
    pub(crate) key: Key,
    stop: Option<UnixStream>,
    thread: Option<JoinHandle<Result<(), ServeError>>>,
}

impl TestServer {
    /// Starts a server with a key.
    pub(crate) fn start(limits: Limits) -> Self {
        Self::start_with(&Key::fresh().expect("random numbers"), limits)
    }

    /// Starts a server with this key.
    pub(crate) fn start_with(key: &Key, limits: Limits) -> Self {
        Self::with(Some(key.clone()), key.clone(), limits)
    }

    /// Starts a server without a key.
    pub(crate) fn open(limits: Limits) -> Self {
        Self::with(None, Key::fresh().expect("random numbers"), limits)
    }

    fn with(served: Option<Key>, key: Key, limits: Limits) -> Self {
        let server = Server::bind((Ipv4Addr::LOCALHOST, 0).into(), served, limits).expect("a free port");
        Self::of(server, key)
    }

    /// Runs a server that listens already.
    pub(crate) fn of(server: Server, key: Key) -> Self {
        count_panics();
        let address = server.address().expect("it listens");
        let (stop, watched) = UnixStream::pair().expect("a socket pair");
        let thread = std::thread::spawn(move || server.run(watched.as_fd()));
        Self { address, key, stop: Some(stop), thread: Some(thread) }
    }

    /// Opens a pair with the server's own key.
    pub(crate) fn pair(&self, plan: &Plan) -> Result<Pair, PairError> {
        self.pair_with(plan, Some(&self.key))
    }

    /// Opens a pair with another key, or with none.
    pub(crate) fn pair_with(&self, plan: &Plan, key: Option<&Key>) -> Result<Pair, PairError> {
        let target = Target::parse(&self.address.to_string())?;
        Pair::open(&target, key, plan, HostClock::start(), |_| ControlFlow::Continue(()))
    }

    /// Carries out one load of a plan, to its end or as `watch` says.
    pub(crate) fn carry(
        &self,
        plan: &Plan,
        load: &Load,
        watch: impl FnMut() -> ControlFlow<()>,
    ) -> Result<Transfer, PairError> {
        let target = Target::parse(&self.address.to_string())?;
        let go_on = |_| ControlFlow::Continue(());
        let targets = std::slice::from_ref(&target);
        let peers = Peers { targets, key: Some(&self.key), first: Some(load) };
        let mut loads = Loads::open(peers, plan, HostClock::start(), go_on)?;
        let (transfer, broken) = run(&mut loads, load, watch)?;
        assert!(broken.is_none(), "{broken:?}");
        loads.finish()?;
        Ok(transfer)
    }

    /// A bare connection, for a client that does not behave.
    pub(crate) fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).expect("the server accepts")
    }

    /// The same from the address `from` of this host.
    pub(crate) fn connect_from(&self, from: &str) -> TcpStream {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None).expect("a socket");
        let from: IpAddr = from.parse().expect("an address");
        socket.bind(&SocketAddr::new(from, 0).into()).expect("an address of this host");
        socket.connect(&self.address.into()).expect("the server accepts");
        socket.into()
    }

    /// Measures one small trial: proof that the server still serves.
    pub(crate) fn still_serves(&self) {
        let mut pair = self.pair(&plan("schedule = 'list:64'")).expect("the server admits a good client");
        one_trial(&mut pair);
        pair.finish().expect("observations");
        assert_eq!(server_panics(), 0, "a thread of the server panicked");
    }

    /// Stops the server and waits for its end.
    pub(crate) fn stop(&mut self) {
        drop(self.stop.take());
        let Some(thread) = self.thread.take() else { return };
        let outcome = thread.join();
        if !std::thread::panicking() {
            assert!(matches!(outcome, Ok(Ok(()))), "the server ended badly: {outcome:?}");
            assert_eq!(server_panics(), 0, "a thread of the server panicked");
        }
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        self.stop();
    }
}

/// A trial of 64 B that a good client runs.
pub(crate) fn one_trial(pair: &mut Pair) {
    let trial = linerate_core::trial::Trial {
        pattern: linerate_core::pattern::Pattern::PingPong,
        size: 64,
        samples: 2,
        batch: 1,
        lead: 0,
        seed: 1,
        check: linerate_core::payload::Check::Full,
    };
    linerate_core::bench::Bench::run(pair, &trial).expect("a trial");
}

/// A plan from TOML.
pub(crate) fn plan(toml: &str) -> Plan {
    Plan::from_toml(toml).expect("a plan")
}

/// The plan of which `load` is a part.
pub(crate) fn plan_for(load: &Load) -> Plan {
    let common = Common { time: load.time, socket: load.socket.clone(), ..Common::default() };
    let bulk = load.stream.clone().unwrap_or_default();
    let task = match &load.rr {
        Some(rr) => Task::Requests(RrPlan {
            under_load: load.stream.as_ref().map_or(0, |_| bulk.flows),
            ..rr.clone()
        }),
        None => Task::Stream(StreamTask { bulk, ..StreamTask::default() }),
    };
    Plan { common, task }
}

/// Says why a test does nothing; in CI that is a failure.
pub(crate) fn missing(what: impl Display) {
    assert!(std::env::var("CI").as_deref() != Ok("true"), "CI needs {what}");
    eprintln!("skipped: {what} is missing");
}

/// Runs a program in this thread's network namespace; what it printed.
pub(crate) fn output_of(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    let output = output.unwrap_or_else(|error| panic!("failed to run {program}: {error}"));
    assert!(output.status.success(), "{program} {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// Two hosts and a wire of this MTU, or none, with a word, where there can be none.
pub(crate) fn lab(mtu: u32) -> Option<TwoHosts> {
    match TwoHosts::new(mtu) {
        Ok(lab) => Some(lab),
        Err(error @ LabError::Privilege) => {
            missing(format_args!("a laboratory (failed to {error})"));
            None
        }
        Err(error) => panic!("failed to {error}"),
    }
}

/// Whether the host has an IPv6 loopback, with a word if not.
pub(crate) fn has_ipv6() -> bool {
    let has = TcpListener::bind((Ipv6Addr::LOCALHOST, 0)).is_ok();
    if !has {
        missing("an IPv6 loopback");
    }
    has
}

static PANICS: AtomicUsize = AtomicUsize::new(0);

/// Counts panics in the threads of any server of this process: the server itself would survive
/// them, and a test would not see them.
fn count_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            let name = std::thread::current().name().unwrap_or_default().to_owned();
            if name.starts_with("session") || name.starts_with("watchdog") {
                PANICS.fetch_add(1, Ordering::SeqCst);
            }
            before(panic);
        }));
    });
}

/// How many threads of servers have panicked.
pub(crate) fn server_panics() -> usize {
    PANICS.load(Ordering::SeqCst)
}

/// Carries `load`, to its end or until `go_on` breaks: the accounts, and why some are missing.
pub(crate) fn run(
    loads: &mut Loads,
    load: &Load,
    go_on: impl FnMut() -> ControlFlow<()>,
) -> Result<(Transfer, Option<PairError>), PairError> {
    let CarriedLoad { transfer, ended } = loads.carry(load, &mut Deaf(go_on));
    match transfer {
        Some(transfer) => Ok((transfer, ended.err())),
        None => Err(ended.expect_err("there is a reason why the load never began")),
    }
}

/// Watches a load without hearing what passes.
struct Deaf<F>(F);

impl<F: FnMut() -> ControlFlow<()>> LoadWatch for Deaf<F> {
    fn interval(&mut self, _: &Look) {}

    fn go_on(&mut self) -> ControlFlow<()> {
        (self.0)()
    }
}
