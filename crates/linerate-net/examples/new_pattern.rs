//! A pattern that linerate does not have, measured by its method: a message that leaves in two writes, a head of 16 bytes and
//! the rest, and a whole message back. With Nagle's algorithm the rest waits for the acknowledgement of the head.
//!
//! ```sh
//! cargo run --release -p linerate-net --example new_pattern            # add `nagle` to have it wait
//! ```

use std::error::Error;
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use linerate_core::bench::{Bench, RunError};
use linerate_core::endpoint::{Endpoint, LinkError, run_ready};
use linerate_core::measure::{Method, Unwatched, measure};
use linerate_core::payload::Buffers;
use linerate_core::plan::Plan;
use linerate_core::transport::Transport;
use linerate_core::trial::{Half, Sample, Tally, Trial};
use linerate_net::channel::Wire;
use linerate_net::observe::{HostClock, check_clock};
use linerate_net::transport::{Setup, SocketChannel, tcp_channel};

/// Of a message, what is sent first. Unit: bytes.
const HEAD: usize = 16;

/// What the end that begins does in a trial. It runs over any endpoint: a socket, or a station of a model.
async fn initiate<E: Endpoint>(end: &mut E, trial: &Trial, memory: &mut Buffers) -> Result<Half, LinkError> {
    let size = trial.message_len()?;
    memory.prepare(size, trial.seed, trial.check);
    let mut half = Half::default();
    let mut begin = end.now();
    for _ in 0..trial.samples {
        for _ in 0..trial.batch {
            let (out, into) = memory.message(size);
            let (head, rest) = out.split_at(size.min(HEAD));
            end.send(head).await?;
            end.send(rest).await?;
            end.recv(into).await?;
        }
        let now = end.now();
        half.elapsed.push(now.since(begin));
        begin = now;
    }
    half.tally = tally(trial);
    half.corruption = memory.inspect(size, !trial.seed, trial.check).err();
    Ok(half)
}

/// What the other end does.
async fn respond<E: Endpoint>(end: &mut E, trial: &Trial, memory: &mut Buffers) -> Result<Half, LinkError> {
    let size = trial.message_len()?;
    memory.prepare(size, !trial.seed, trial.check);
    for _ in 0..trial.messages() {
        let (out, into) = memory.message(size);
        end.recv(into).await?;
        end.send(out).await?;
    }
    let corruption = memory.inspect(size, trial.seed, trial.check).err();
    Ok(Half { tally: tally(trial), corruption, ..Half::default() })
}

/// As many messages go each way as in a ping-pong.
fn tally(trial: &Trial) -> Tally {
    let (messages, bytes) = (trial.messages(), trial.messages() * trial.size);
    Tally { sent_bytes: bytes, received_bytes: bytes, sent: messages, received: messages }
}

/// Two ends on two threads: where the method can run a trial.
struct TwoWrites {
    end: Wire<SocketChannel>,
    memory: Buffers,
    trials: Sender<Trial>,
    answers: Receiver<Result<Half, LinkError>>,
}

impl Bench for TwoWrites {
    fn run(&mut self, trial: &Trial) -> Result<Sample, RunError> {
        let failed = |source| RunError::Link { size: trial.size, source };
        let begin = self.end.now();
        let gone = |_| failed(LinkError::Closed);
        self.trials.send(*trial).map_err(|_| failed(LinkError::Closed))?;
        let here = run_ready(initiate(&mut self.end, trial, &mut self.memory)).map_err(failed)?;
        let there = self.answers.recv().map_err(gone)?.map_err(failed)?;
        Sample::join(trial, &here, &there, self.end.now().since(begin))
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let nodelay = std::env::args().all(|argument| argument != "nagle");
    let plan = Plan::from_toml(&format!(
        "schedule = 'list:17,1024,65536'\ntime = '2s'\n[socket]\nnodelay = {nodelay}\n"
    ))?;
    let curve = plan.curve().ok_or("the plan is of a curve")?;
    let clock = HostClock::start();

    let listener = TcpListener::bind("127.0.0.1:0")?;
    let near = TcpStream::connect(listener.local_addr()?)?;
    let (far, _) = listener.accept()?;
    let wire = |stream: TcpStream| -> Result<Wire<SocketChannel>, Box<dyn Error>> {
        let (local, peer) = (stream.local_addr()?.ip(), stream.peer_addr()?);
        let setup =
            Setup { socket: plan.common.socket.clone(), ..Setup::plain(Transport::Tcp, clock, local, peer) };
        Ok(setup.wire(tcp_channel(stream.into(), &setup)?))
    };
    let (end, mut other_end) = (wire(near)?, wire(far)?);
    let (trials, asked) = channel::<Trial>();
    let (answer, answers) = channel();
    let responder = thread::spawn(move || {
        let mut memory = Buffers::new(1 << 20);
        for trial in asked {
            // The other thread has gone if it does not take the answer.
            answer.send(run_ready(respond(&mut other_end, &trial, &mut memory))).unwrap_or(());
        }
    });

    let method = Method::of(&plan.common, curve, check_clock(&clock, 10_000).cost)?;
    let mut bench = TwoWrites { end, memory: Buffers::new(1 << 20), trials, answers };
    let outcome = measure(&mut bench, &method, &mut Unwatched);
    for point in outcome.series.timed() {
        let time = point.time().ok_or("it was timed")?;
        println!("{:>8} B  {:>10.3} us", point.size, time.median / 1e6);
    }
    drop(bench);
    responder.join().map_err(|_| "the responder panicked")?;
    Ok(())
}
