//! Links that delay, lose and limit, by linerate's own forwarder: what arrives is compared with what the forwarder says
//! and with the same rules in virtual time.

use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use linerate_core::lab::emulator::{Counts, Emulator};
use linerate_core::lab::{Forwarded, Mechanism};
use linerate_core::units::Time;
use linerate_net::lab::Lab;
use nix::sys::socket::setsockopt;
use nix::sys::socket::sockopt::RcvBufForce;
use rand::RngExt as _;
use rand_pcg::Pcg64;

use crate::lab::{built, reaches};

const A: Ipv4Addr = Ipv4Addr::new(198, 18, 0, 1);
const B: Ipv4Addr = Ipv4Addr::new(198, 18, 0, 2);
/// With it the kernel's queues cannot make the link, and no frame of a test is corrupted.
const OWN: &str = "corrupt = 1e-18";
const PATIENCE: Duration = Duration::from_secs(20);

/// A pair of hosts and the link between them, which the forwarder carries.
struct Pair {
    lab: Lab,
    from: UdpSocket,
    to: UdpSocket,
    /// Frames that went until the hosts had met.
    met: u64,
}

impl Pair {
    fn new(link: &str) -> Option<Self> {
        Self::seeded(1, link)
    }

    fn seeded(seed: u32, link: &str) -> Option<Self> {
        let plan =
            format!("seed = {seed}\nhosts = ['a', 'b']\nlink = [{{ between = ['a', 'b'], {OWN}, {link} }}]");
        let lab = built(&plan)?;
        assert_eq!(lab.links()[0].mechanism, Mechanism::Forwarder);
        let socket = |node, address: SocketAddr| {
            lab.on(node, || UdpSocket::bind(address)).expect("entered").expect("there is an address")
        };
        let from = socket(0, (Ipv4Addr::UNSPECIFIED, 0).into());
        let to = socket(1, (B, 5471).into());
        // ARP asks again 50 times a second, also where most of what it says is lost.
        for (node, link) in ["b", "a"].into_iter().enumerate() {
            let set = |name: &str, value: &str| {
                std::fs::write(format!("/proc/sys/net/ipv4/neigh/{link}/{name}"), value).expect(name);
            };
            let ask_often = || {
                [("retrans_time_ms", "20"), ("mcast_solicit", "1000")].map(|(name, value)| set(name, value))
            };
            lab.on(node, ask_often).expect("entered");
        }
        // Room for all, also where the reader gets no time.
        setsockopt(&to, RcvBufForce, &(32 << 20)).expect("it is root's");
        to.set_read_timeout(Some(Duration::from_millis(300))).expect("it can wait");
        let mut pair = Self { lab, from, to, met: 0 };
        pair.meet();
        Some(pair)
    }

    /// Waits until ARP has its answers: before, datagrams are kept, and then come in no order.
    fn meet(&mut self) {
        let begun = Instant::now();
        let meets = || {
            self.send(&[0]);
            self.to.recv(&mut [0]).is_ok()
        };
        while !meets() {
            assert!(begun.elapsed() < PATIENCE, "nothing comes: {:?}", self.lab.links()[0]);
        }
        self.met = self.forwarded(1)[0].counts.arrived - 1;
        self.to.set_nonblocking(true).expect("it can");
        while self.to.recv(&mut [0]).is_ok() {}
        self.to.set_nonblocking(false).expect("it can");
    }

    fn send(&self, bytes: &[u8]) {
        self.from.send_to(bytes, (B, 5471)).expect("it is sent");
    }

    /// What the forwarder has done, once it has seen `frames` at least from the first host and has nothing left to do.
    fn forwarded(&self, frames: u64) -> [Forwarded; 2] {
        let begun = Instant::now();
        loop {
            let both = self.lab.links()[0].frames.expect("the forwarder carries it");
            let seen = both[0].counts.arrived + both[0].missed >= self.met + frames;
            if seen && both.iter().all(|one| one.sent + one.missed >= one.counts.passed) {
                return both;
            }
            assert!(begun.elapsed() < PATIENCE, "it still holds frames: {both:?}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Has a thread `send` so many datagrams, and tells `each` of those that come. What the forwarder has done, and how
    /// many came.
    fn run(&self, count: u64, send: impl Fn() + Sync, mut each: impl FnMut(u64)) -> (Forwarded, u64) {
        self.to.set_read_timeout(Some(Duration::from_millis(20))).expect("it can wait");
        std::thread::scope(|scope| {
            let sender = scope.spawn(|| {
                send();
                self.forwarded(count)[0]
            });
            let (mut bytes, mut came) = ([0; 1500], 0);
            loop {
                let over = sender.is_finished();
                if self.to.recv(&mut bytes).is_ok() {
                    came += 1;
                    each(came);
                } else if over {
                    return (sender.join().expect("it sends"), came);
                }
            }
        })
    }
}

#[test]
fn no_frame_comes_before_its_delay_and_all_come() {
    for delay_ms in [0, 5, 50, 1000, 2500] {
        let Some(pair) = Pair::new(&format!("delay = '{delay_ms}ms'")) else { return };
        pair.to.set_read_timeout(Some(PATIENCE)).expect("it can wait");
        let (count, delay) = (20_u64, Duration::from_millis(delay_ms));
        let mut left = Vec::new();
        for number in 0..count {
            left.push(Instant::now());
            pair.send(&number.to_le_bytes());
            std::thread::sleep(Duration::from_micros(200));
        }
        for number in 0..count {
            let mut bytes = [0; 8];
            pair.to.recv(&mut bytes).expect("it comes");
            assert_eq!(u64::from_le_bytes(bytes), number, "in order");
            assert!(left[usize::try_from(number).expect("small")].elapsed() >= delay, "{delay_ms} ms");
        }
        let [forward, reverse] = pair.forwarded(count);
        // And what IPv6 and ARP say.
        assert!(forward.sent >= count && reverse.sent >= 1, "{forward:?} {reverse:?}");
    }
}

#[test]
fn as_many_frames_are_lost_as_the_seed_says() {
    for rules in ["loss = 0.01", "loss = 0.2", "loss = 0.1, loss-burst = 5"] {
        let Some(pair) = Pair::new(&format!("forward = {{ {rules} }}")) else { return };
        let count = 10_000;
        let send = || {
            for number in 0..count {
                pair.send(&[0; 100]);
                if number % 16 == 15 {
                    std::thread::sleep(Duration::from_micros(300));
                }
            }
        };
        let (forward, came) = pair.run(count, send, |_| {});
        let Forwarded { counts, sent, missed, .. } = forward;
        // The same frames in virtual time: chance is the seed's alone.
        let layout = pair.lab.layout();
        let mut same = Emulator::new(layout.links[0].directions[0], layout.seed, 0);
        for _ in 0..counts.arrived {
            same.arrive(Time::ZERO, 142);
        }
        assert_eq!(same.counts(), counts, "{rules}");
        // What the forwarder sent came, but for the frames of ARP and IPv6. On a busy machine it misses some.
        assert!(
            counts.arrived <= pair.met + count + 16
                && counts.arrived + missed + 16 >= count
                && sent.abs_diff(came) < 16 + pair.met,
            "{rules}: {came} of {forward:?}"
        );
        let (mean, share) = (counts.dropped_by_rule as f64, if rules.contains("0.01") { 0.01 } else { 0.2 });
        if !rules.contains("burst") {
            let deviation = (counts.arrived as f64 * share * (1.0 - share)).sqrt();
            assert!((mean - counts.arrived as f64 * share).abs() < 5.0 * deviation, "{mean} for {share}");
        }
    }
}

#[test]
fn no_more_comes_than_the_rate_gives_and_the_rest_is_dropped_by_the_queue() {
    for (mbps, burst, packets) in [(1.0, 0, 100), (100.0, 20_000, 4000)] {
        let rules = format!("rate-mbps = {mbps}, burst = {burst}, queue = 30000");
        let Some(pair) = Pair::new(&rules) else { return };
        let (begun, frame) = (Instant::now(), 1400 + 28 + 14);
        let sent_in = OnceLock::new();
        let send = || {
            (0..packets).for_each(|_| pair.send(&[1; 1400]));
            sent_in.get_or_init(|| begun.elapsed());
        };
        let (forward, came) = pair.run(packets, send, |came| {
            let given = f64::from(burst) + mbps * 1e6 / 8.0 * begun.elapsed().as_secs_f64();
            assert!((came * frame) as f64 <= given + 1.0, "{came} frames came where {given} B may");
        });
        let Forwarded { counts, sent, missed, .. } = forward;
        assert_eq!(counts.arrived, counts.passed + counts.dropped_by_queue);
        // A busy machine sends slower than the link, and misses frames.
        let fits =
            f64::from(burst) + 30_000.0 + mbps * 1e6 / 8.0 * sent_in.get().expect("it sent").as_secs_f64();
        let full = (packets * frame) as f64 > fits + (missed * frame) as f64;
        assert!(counts.dropped_by_queue > 0 || !full, "{forward:?}");
        assert!(
            counts.dropped_by_rule == 0 && came > 0 && sent.abs_diff(came) < 16 + pair.met,
            "{came} of {forward:?}"
        );
    }
}

/// What one direction of a link does by chance.
#[derive(Debug)]
struct Rules {
    loss: f64,
    /// Losses in a row, on average.
    burst: Option<f64>,
    duplicate: f64,
    corrupt: f64,
    reorder: f64,
    jitter_us: u64,
}

impl Rules {
    fn draw(random: &mut Pcg64) -> Self {
        let mut share = || if random.random_bool(0.2) { 0.0 } else { random.random_range(0.0..0.3) };
        let [loss, duplicate, corrupt, reorder] = [(); 4].map(|()| share());
        let burst = (loss > 0.0 && random.random()).then(|| random.random_range(1.0..12.0));
        let jitter_us = if random.random() { random.random_range(1..5_000) } else { 0 };
        Self { loss, burst, duplicate, corrupt, reorder, jitter_us }
    }

    /// As a direction of a plan.
    fn to_toml(&self) -> String {
        let Self { loss, duplicate, corrupt, reorder, jitter_us, .. } = self;
        let burst = self.burst.map_or_else(String::new, |burst| format!(", loss-burst = {burst}"));
        format!(
            "{{ loss = {loss}{burst}, duplicate = {duplicate}, corrupt = {corrupt}, reorder = {reorder}, \
             reorder-by = '700us', jitter = '{jitter_us}us' }}"
        )
    }

    /// Losses that follow a chain of two states vary more than those of coins: by (1 + c) / (1 - c), where c is the
    /// correlation of neighbours. And the chain begins without a loss.
    fn check(&self, counts: &Counts) -> Result<(), String> {
        let went = counts.passed + counts.dropped_by_rule;
        let correlation =
            self.burst.map_or(0.0, |burst| 1.0 - 1.0 / burst - self.loss / ((1.0 - self.loss) * burst));
        for (what, count, all, share, correlation) in [
            ("lost", counts.dropped_by_rule, went, self.loss, correlation),
            ("duplicated", counts.duplicated, counts.arrived, self.duplicate, 0.0),
            ("corrupted", counts.corrupted, counts.passed, self.corrupt, 0.0),
            ("reordered", counts.reordered, counts.passed, self.reorder, 0.0),
        ] {
            let (mean, variance) = (all as f64 * share, all as f64 * share * (1.0 - share));
            let deviation = (variance * (1.0 + correlation) / (1.0 - correlation)).sqrt();
            let edge = if share > 0.0 { 1.0 + self.burst.unwrap_or(1.0) } else { 0.0 };
            if (count as f64 - mean).abs() > 6.0 * deviation + edge {
                return Err(format!("{count} of {all} {what}, {mean} +- {deviation} are right"));
            }
        }
        // Uniform from zero on.
        let (jitter, all) = (self.jitter_us as f64, counts.passed as f64);
        let (mean, deviation) = (all * jitter / 2.0, jitter * (all / 12.0).sqrt());
        let is_right = (counts.jitter.as_us() - mean).abs() <= 6.0 * deviation + 1.0;
        is_right
            .then_some(())
            .ok_or_else(|| format!("{} of jitter, {mean} +- {deviation} us are right", counts.jitter))
    }
}

/// Bounds that a busy machine cannot break: it makes frames later, and loses them to the forwarder, which says so.
#[test]
fn drawn_links_keep_their_account_and_their_shares_and_nothing_comes_early_or_faster_than_the_rate() {
    for seed in 0..10 {
        let random = &mut Pcg64::new(seed, 37);
        let mbps = 10_f64.powf(random.random_range(0.5..3.0));
        let burst = if random.random() { 0 } else { random.random_range(2_000..64_000) };
        let queue = random.random_range(3_000..4_000_000);
        let delay = Duration::from_millis(random.random_range(0..100));
        let both = [Rules::draw(random), Rules::draw(random)];
        let [forward, reverse] = both.each_ref().map(Rules::to_toml);
        let text = format!(
            "rate-mbps = {mbps}, burst = {burst}, queue = {queue}, delay = '{}ms', forward = {forward}, reverse = {reverse}",
            delay.as_millis()
        );
        let Some(pair) = Pair::seeded(u32::try_from(seed).expect("small"), &text) else { return };
        let (begun, count, frame) = (Instant::now(), 1_000, 200 + 28 + 14);
        let pace = |number: u64| {
            if number % 16 == 15 {
                std::thread::sleep(Duration::from_micros(500));
            }
        };
        let back = pair.lab.on(1, || UdpSocket::bind("0.0.0.0:0")).expect("entered").expect("bound");
        let send = || {
            for number in 0..count {
                pair.send(&[1; 200]);
                // Nobody listens there; the ICMP that says so goes the first way, and is a frame as well.
                if number % 2 == 0 {
                    back.send_to(&[2; 200], (A, 5471)).map(drop).unwrap_or(());
                }
                pace(number);
            }
        };
        let (forwarded, came) = pair.run(count, send, |came| {
            let elapsed = begun.elapsed();
            assert!(elapsed >= delay, "seed {seed}: one came after {elapsed:?}: {text}");
            let given = f64::from(burst) + mbps * 1e6 / 8.0 * (elapsed - delay).as_secs_f64();
            assert!(
                (came * frame) as f64 <= given + 1.0,
                "seed {seed}: {came} frames came where {given} B may: {text}"
            );
        });
        let all = pair.forwarded(count);
        for (rules, Forwarded { counts, sent, missed, .. }) in both.iter().zip(all) {
            let fates = counts.passed + counts.dropped_by_rule + counts.dropped_by_queue;
            assert_eq!(counts.arrived + counts.duplicated, fates, "seed {seed}: {text}");
            assert!(sent + missed >= counts.passed, "seed {seed}: {counts:?}");
            assert!(counts.arrived + missed + 16 >= count / 2, "seed {seed}: {counts:?}");
            rules.check(&counts).unwrap_or_else(|error| panic!("seed {seed}: {error}: {text}"));
        }
        // Besides there are the frames of ARP, ICMP and IPv6. What is corrupted does not reach a socket.
        let Forwarded { counts, sent, missed, .. } = forwarded;
        let others = 2 * counts.arrived.saturating_sub(count) + 32 + missed;
        assert!(
            (came + counts.corrupted).abs_diff(sent) <= others,
            "seed {seed}: {came} of {forwarded:?}: {text}"
        );
    }
}

/// With checksums and segments left to the device, a frame on the way would be neither whole nor right.
#[test]
fn tcp_passes_a_link_that_repeats_and_overtakes() {
    let rules = "delay = '1ms', jitter = '200us', loss = 0.02, duplicate = 0.05, reorder = 0.05";
    let Some(pair) = Pair::new(rules) else { return };
    reaches(&pair.lab, "a", "b");
    reaches(&pair.lab, "b", "a");
}

/// A wrong bit is one that the checksums of IP, UDP and TCP find.
#[test]
fn what_is_corrupted_does_not_reach_a_socket() {
    let plan = "hosts = ['a', 'b']\nlink = [{ between = ['a', 'b'], forward = { corrupt = 1 } }]";
    let Some(lab) = built(plan) else { return };
    let from = lab.on(0, || UdpSocket::bind("0.0.0.0:0")).expect("entered").expect("bound");
    let to = lab.on(1, || UdpSocket::bind((B, 5471))).expect("entered").expect("bound");
    to.set_read_timeout(Some(Duration::from_millis(300))).expect("it can wait");
    for _ in 0..50 {
        from.send_to(&[7; 1000], (B, 5471)).expect("it is sent");
    }
    assert!(to.recv(&mut [0; 1000]).is_err(), "nothing comes");
    let begun = Instant::now();
    let forward = loop {
        let [forward, _] = lab.links()[0].frames.expect("the forwarder carries it");
        if forward.counts.arrived > 0 || begun.elapsed() > PATIENCE {
            break forward;
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    assert!(forward.counts.arrived > 0 && forward.counts.corrupted == forward.counts.arrived, "{forward:?}");
}

#[test]
fn a_link_without_rules_is_a_wire_and_its_frames_are_not_counted() {
    let Some(lab) = built("hosts = ['a', 'b']\n[[link]]\nbetween = ['a', 'b']") else { return };
    assert_eq!(lab.links(), []);
}
