//! What the product's own loop costs: ping-pong through `Pattern` and `TcpEndpoint` against a bare
//! blocking loop, over the same two sockets, in turn in one run.
//!
//! `cargo bench -p linerate-net --bench floor [-- BLOCKS]` prints, for each size, both medians and
//! their ratio, and exits with 1 when a ratio is above 1.03.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use linerate_core::endpoint::run_ready;
use linerate_core::pattern::Pattern;
use linerate_core::payload::{Buffers, Check};
use linerate_core::transport::Transport;
use linerate_core::trial::Trial;
use linerate_net::channel::Wire;
use linerate_net::observe::{HostClock, pin_to};
use linerate_net::transport::{Setup, SocketChannel, tcp_channel};

const SIZES: [u64; 4] = [1, 1 << 10, 64 << 10, 1 << 20];
const LIMIT: f64 = 1.03;
/// Pairs of blocks at each size, unless the command line says.
const BLOCKS: usize = 200;
/// How long one block lasts about.
const BLOCK: Duration = Duration::from_millis(10);

/// Both ends take turns on one processor: what differs between the loops is then all that differs,
/// where two processors would add the time that an idle one takes to wake.
const CPU: u32 = 0;

/// Which loop runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Loop {
    Product,
    Bare,
}

/// One end of the connection, able to run either loop on the same socket.
struct End {
    bare: TcpStream,
    product: Wire<SocketChannel>,
    buffers: Buffers,
    out: Vec<u8>,
    into: Vec<u8>,
}

impl End {
    fn new(stream: TcpStream, clock: HostClock) -> io::Result<Self> {
        stream.set_nodelay(true)?;
        let largest = 1 << 20;
        let setup = Setup::plain(Transport::Tcp, clock, stream.local_addr()?.ip(), stream.peer_addr()?);
        let channel = tcp_channel(stream.try_clone()?.into(), &setup).map_err(io::Error::other)?;
        Ok(Self {
            product: Wire::new(channel, clock),
            bare: stream,
            buffers: Buffers::new(largest),
            out: vec![7; largest],
            into: vec![0; largest],
        })
    }

    /// Runs `exchanges` as the end that starts; how long they took.
    fn initiate(&mut self, which: Loop, size: u64, exchanges: u32) -> io::Result<Duration> {
        let len = size as usize;
        match which {
            Loop::Product => {
                let trial = trial(size, exchanges);
                let began = Instant::now();
                run_ready(Pattern::PingPong.initiate(&mut self.product, &trial, &mut self.buffers))
                    .map_err(io::Error::other)?;
                Ok(began.elapsed())
            }
            Loop::Bare => {
                let began = Instant::now();
                for _ in 0..exchanges {
                    self.bare.write_all(&self.out[..len])?;
                    self.bare.read_exact(&mut self.into[..len])?;
                }
                Ok(began.elapsed())
            }
        }
    }

    /// Runs `exchanges` as the end that answers.
    fn respond(&mut self, which: Loop, size: u64, exchanges: u32) -> io::Result<()> {
        let len = size as usize;
        match which {
            Loop::Product => {
                let trial = trial(size, exchanges);
                run_ready(Pattern::PingPong.respond(&mut self.product, &trial, &mut self.buffers))
                    .map_err(io::Error::other)?;
            }
            Loop::Bare => {
                for _ in 0..exchanges {
                    self.bare.read_exact(&mut self.into[..len])?;
                    self.bare.write_all(&self.out[..len])?;
                }
            }
        }
        Ok(())
    }
}

fn trial(size: u64, samples: u32) -> Trial {
    Trial { pattern: Pattern::PingPong, size, samples, batch: 1, lead: 0, seed: 1, check: Check::Marks }
}

type Order = (Loop, u64, u32);

fn answer(mut end: End, orders: &Receiver<Order>, ready: &Sender<()>) -> io::Result<()> {
    pin_to(CPU)?;
    for (which, size, exchanges) in orders {
        ready.send(()).map_err(io::Error::other)?;
        end.respond(which, size, exchanges)?;
    }
    Ok(())
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn main() -> io::Result<ExitCode> {
    let asked = std::env::args().filter_map(|word| word.parse().ok()).next();
    let blocks: usize = asked.unwrap_or(BLOCKS);
    let clock = HostClock::start();
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let mut end = End::new(TcpStream::connect(listener.local_addr()?)?, clock)?;
    let other = End::new(listener.accept()?.0, clock)?;
    let (orders, received) = channel();
    let (ready, wait) = channel();
    let answering = std::thread::spawn(move || answer(other, &received, &ready));
    pin_to(CPU)?;

    let mut run = |which, size, exchanges| -> io::Result<f64> {
        orders.send((which, size, exchanges)).map_err(io::Error::other)?;
        wait.recv().map_err(io::Error::other)?;
        let took = end.initiate(which, size, exchanges)?;
        Ok(took.as_secs_f64() * 1e6 / f64::from(exchanges) / 2.0)
    };
    let mut within = true;
    println!("one-way time, median of {blocks} blocks each, product and bare loop in turn");
    println!("{:>9} {:>12} {:>12} {:>7}", "bytes", "product us", "bare us", "ratio");
    for size in SIZES {
        let first = run(Loop::Bare, size, 20)? * 2.0;
        let exchanges = (BLOCK.as_secs_f64() * 1e6 / first).clamp(4.0, 4096.0) as u32;
        let (mut product, mut bare) = (Vec::new(), Vec::new());
        for block in 0..blocks {
            // ABBA: a drift of the machine weighs on both alike.
            let order =
                if block % 2 == 0 { [Loop::Product, Loop::Bare] } else { [Loop::Bare, Loop::Product] };
            for which in order {
                let time = run(which, size, exchanges)?;
                if which == Loop::Product { &mut product } else { &mut bare }.push(time);
            }
        }
        let (product, bare) = (median(&mut product), median(&mut bare));
        let ratio = product / bare;
        within &= ratio <= LIMIT;
        println!("{size:>9} {product:>12.3} {bare:>12.3} {ratio:>7.3}");
    }
    drop(orders);
    answering.join().map_err(|_| io::Error::other("the answering thread panicked"))??;
    println!("{}", if within { "every ratio is at most 1.03" } else { "a ratio is above 1.03" });
    Ok(ExitCode::from(u8::from(!within)))
}
