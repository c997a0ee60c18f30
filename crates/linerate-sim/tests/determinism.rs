//! The same plan and seed give the same run, byte for byte: again, on several threads at once, in
//! another profile and on another machine.

use std::fmt::Write as _;

use linerate_core::bench::Bench as _;
use linerate_core::pattern::Pattern;
use linerate_core::payload::Check;
use linerate_core::trial::Trial;
use linerate_core::units::Span;
use linerate_sim::fabric::Seen;
use linerate_sim::model::{self, Loaded};
use linerate_sim::trace::Passage;
use rstest::rstest;

use crate::support::plans;

/// A network of each kind, with six stations where it may have more than two.
const NETWORKS: [(&str, &str); 11] = [
    ("link", "medium = 'ethernet'"),
    ("hub", "medium = 'ethernet', topology = 'hub', stations = 6"),
    ("hub-10", "medium = 'ethernet', topology = 'hub', stations = 6, phy = '10BASE-T'"),
    ("switch", "medium = 'ethernet', topology = 'switch', stations = 6"),
    ("line", "medium = 'ethernet', topology = 'line', relays = 3, stations = 6"),
    ("repeater", "medium = 'ethernet', topology = 'distributor', stations = 6, pause = 'asymmetric'"),
    ("mismatch", "medium = 'ethernet', duplex = 'full', relay-duplex = 'half', phy = '100BASE-TX'"),
    ("atm", "medium = 'atm', stations = 6"),
    ("fddi", "medium = 'fddi', stations = 6"),
    ("fc", "medium = 'fibre-channel', stations = 6"),
    ("myrinet", "medium = 'myrinet', stations = 6"),
];

/// 64-bit FNV-1a (Fowler, Noll and Vo): the same on every machine.
fn hash(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Runs random load of mixed sizes over `network` until 2000 frames have arrived; keeps all that passed.
fn loaded(network: &str, seed: u64) -> Loaded {
    let text = format!(
        "seed = {seed}
         network = {{ {network} }}
         [load]
         frame = [[64, 3], [1000, 2], [1500, 1]]
         frames = 2000
         total-load = 0.8
         time = '10s'
         warm-up = '1ms'"
    );
    model::load(&plans::plan(&text), Some(usize::MAX)).expect("a network that can be")
}

/// Everything that a run shows.
fn run(network: &str, seed: u64) -> String {
    let loaded = loaded(network, seed);
    let outcome = serde_json::to_string(&loaded.outcome).expect("an outcome has a JSON form");
    format!("{outcome}\n{:?}\n{:?}", loaded.outcome.delays, loaded.trace)
}

/// What passed and when, in words of its own: fields may get other names and still be as they were.
fn passages(loaded: &Loaded) -> String {
    let mut text = String::new();
    for passage in loaded.trace.as_ref().expect("it was asked for").passages() {
        let Passage { time, port, seen, frame, .. } = passage;
        let way = if *seen == Seen::Sent { "out" } else { "in" };
        let (time, port, source, bytes) = (time.as_ps(), port.0, frame.source.0, frame.data_bytes);
        writeln!(text, "{time} {port} {way} {source} {bytes}").expect("a String takes all");
    }
    text
}

/// The times of a curve's trial.
fn times(network: &str, seed: u64) -> Vec<Span> {
    let trial = Trial {
        pattern: Pattern::Exchange,
        size: 5_000,
        samples: 50,
        batch: 1,
        lead: 0,
        seed: 1,
        check: Check::Full,
    };
    let text = format!("seed = {seed}\nnetwork = {{ {network} }}");
    let mut curve = model::curve(&plans::plan(&text), None).expect("a network that can be");
    curve.bench.run(&trial).expect("it passes").times
}

#[test]
fn the_same_seed_gives_the_same_run_and_another_gives_another() {
    for (name, network) in NETWORKS {
        let first = run(network, 1);
        assert!(first == run(network, 1), "{name} differs from itself");
        // The outcome names its seed, so it is what passed that has to differ.
        let [one, other] = [1, 2].map(|seed| passages(&loaded(network, seed)));
        assert!(one != other, "{name} takes no notice of the seed");
    }
}

#[test]
fn four_threads_at_once_give_what_one_gives() {
    for (name, network) in NETWORKS {
        let alone = hash(&run(network, 3));
        let together = std::thread::scope(|scope| {
            [(); 4]
                .map(|()| scope.spawn(|| hash(&run(network, 3))))
                .map(|thread| thread.join().expect("it runs"))
        });
        assert_eq!(together, [alone; 4], "{name}");
    }
}

#[rstest]
fn a_curve_is_random_only_where_stations_collide(
    #[values("topology = 'direct'", "topology = 'switch'", "topology = 'hub'")] network: &str,
) {
    let network = format!("medium = 'ethernet', {network}");
    let first = times(&network, 1);
    assert_eq!(first, times(&network, 1));
    assert_eq!(first == times(&network, 2), !network.contains("hub"));
}

/// What arrived, events, passages of frames, and a hash of when and where each frame passed. Debug
/// and release and every machine must agree on it; whoever changes a model changes it, and says why.
#[test]
fn runs_are_what_they_were() {
    let mut table =
        format!("{:>10} {:>10} {:>8} {:>8} {:>17}", "network", "delivered", "events", "passages", "hash");
    for (name, network) in NETWORKS {
        let loaded = loaded(network, 7);
        let (text, outcome) = (passages(&loaded), loaded.outcome);
        let (delivered, events, passed) = (outcome.delivered, outcome.events, text.lines().count());
        let row = format!("{name:>10} {delivered:>10} {events:>8} {passed:>8}  {:016x}", hash(&text));
        write!(table, "\n{row}").expect("a String takes all");
    }
    insta::assert_snapshot!(table, @r"
     network  delivered   events passages              hash
        link       2000     6007     4001  df3e11803bea4028
         hub       2000     8982     4000  2b1cf5dac49b71ae
      hub-10       2000    13210     4000  1b3eab5eaa9f8580
      switch       2000    10006     4002  9e04605c1787d648
        line       2000    14333     4003  ad20548de362f9e9
    repeater       2000    28290    12001  2fb39456a98b95ee
    mismatch       2000    15442     4837  1d65f735e0b036f2
         atm       2000     6423     4000  d37733cb2556010a
        fddi       2000     7124     4000  e0204e94ef951520
          fc       2000    10004     4001  53eca2d0d2759d69
     myrinet       2000    12774     4000  8f52518f5b51229b
    ");
}
