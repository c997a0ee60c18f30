//! A server on the loopback that ends with the test.

#![allow(dead_code, reason = "each test file uses its part")]

use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::thread::JoinHandle;

use linerate_core::plan::Plan;
use linerate_net::control::Key;
use linerate_net::observe::HostClock;
use linerate_net::pair::{Pair, PairError, Target};
use linerate_net::serve::{Limits, ServeError, Server};

/// A running server.
pub struct TestServer {
    pub address: SocketAddr,
    pub key: Key,
    stop: Option<UnixStream>,
    thread: Option<JoinHandle<Result<(), ServeError>>>,
}

impl TestServer {
    /// Starts a server with a key.
    pub fn start(limits: Limits) -> Self {
        let key = Key::fresh().expect("random numbers");
        Self::with(Some(key.clone()), key, limits)
    }

    /// Starts a server without a key.
    pub fn open(limits: Limits) -> Self {
        Self::with(None, Key::fresh().expect("random numbers"), limits)
    }

    fn with(served: Option<Key>, key: Key, limits: Limits) -> Self {
        let server = Server::bind((Ipv4Addr::LOCALHOST, 0).into(), served, limits).expect("a free port");
        let address = server.address().expect("it listens");
        let (stop, watched) = UnixStream::pair().expect("a socket pair");
        let thread = std::thread::spawn(move || server.run(watched.as_fd()));
        Self { address, key, stop: Some(stop), thread: Some(thread) }
    }

    /// Opens a pair with the server's own key.
    pub fn pair(&self, plan: &Plan) -> Result<Pair, PairError> {
        self.pair_with(plan, Some(&self.key))
    }

    /// Opens a pair with another key, or with none.
    pub fn pair_with(&self, plan: &Plan, key: Option<&Key>) -> Result<Pair, PairError> {
        let target = Target::parse(&self.address.to_string())?;
        Pair::open(&target, key, plan, HostClock::start(), |_| ())
    }

    /// A bare connection, for a client that does not behave.
    pub fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).expect("the server accepts")
    }

    /// Measures one small trial: proof that the server still serves.
    pub fn still_serves(&self) {
        let plan = plan("schedule = 'list:64'");
        let mut pair = self.pair(&plan).expect("the server admits a good client");
        let trial = linerate_core::trial::Trial {
            pattern: plan.pattern,
            size: 64,
            samples: 2,
            batch: 1,
            seed: 1,
            check: linerate_core::payload::Check::Full,
        };
        linerate_core::bench::Bench::run(&mut pair, &trial).expect("a trial");
        pair.finish().expect("observations");
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        drop(self.stop.take());
        let outcome = self.thread.take().map(JoinHandle::join);
        if !std::thread::panicking() {
            assert!(matches!(outcome, Some(Ok(Ok(())))), "the server ended badly: {outcome:?}");
        }
    }
}

/// A plan from TOML.
pub fn plan(toml: &str) -> Plan {
    Plan::from_toml(toml).expect("a plan")
}
