//! Measures the loopback between two threads of this process: a server, and a client that runs the trials.
//!
//! ```sh
//! cargo run --release -p linerate-net --example two_threads
//! ```

use std::error::Error;
use std::net::{Ipv4Addr, SocketAddr};
use std::ops::ControlFlow;
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;

use linerate_core::measure::{Method, Unwatched, measure};
use linerate_core::plan::Plan;
use linerate_net::control::Key;
use linerate_net::observe::HostClock;
use linerate_net::pair::{Pair, Target};
use linerate_net::serve::{Limits, Server};

fn main() -> Result<(), Box<dyn Error>> {
    let key = Key::fresh()?;
    let server =
        Server::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), Some(key.clone()), Limits::default())?;
    let target = Target::parse(&server.address()?.to_string())?;
    // The server ends when the other end of this pair is closed.
    let (stop, stopped) = UnixStream::pair()?;
    let serving = std::thread::spawn(move || server.run(stopped.as_fd()));

    let plan = Plan::from_toml("schedule = 'list:1,1024,65536'\ntime = '2s'")?;
    let mut pair = Pair::open(&target, Some(&key), &plan, HostClock::start(), |_| ControlFlow::Continue(()))?;
    let curve = plan.curve().ok_or("the plan is of a curve")?;
    let method = Method::of(&plan.common, curve, pair.timing_clock().cost)?;
    let outcome = measure(&mut pair, &method, &mut Unwatched);
    for point in outcome.series.timed() {
        let time = point.time().ok_or("it was timed")?;
        println!("{:>8} B  {:>10.3} us", point.size, time.median / 1e6);
    }
    pair.finish()?;
    drop(stop);
    serving.join().map_err(|_| "the server panicked")??;
    Ok(())
}
