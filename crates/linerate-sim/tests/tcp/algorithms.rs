//! The table of congestion control: every algorithm repairs what a path loses, and one that is not in
//! the table joins through the same seam.

use linerate_core::units::{Span, Time};
use linerate_sim::tcp::congestion::{CongestionControl, Flight, Progress, Window};
use linerate_sim::tcp::{Algorithm, Rules, Settings};

use super::path::Way;
use super::settings::{self, Recovery};
use super::task::{reader, writer};
use super::world::{CLIENT, SERVER, World};

const MSS: u64 = 1460;
const DELAY: Span = Span::from_ms(20);
const RATE: u64 = 100_000_000;

/// A fixed window of 20 segments, whatever is lost.
#[derive(Debug)]
struct Fixed;

const FIXED_WINDOW: u64 = 20 * MSS;

impl CongestionControl for Fixed {
    fn acknowledged(&mut self, window: &mut Window, progress: &Progress) {
        window.end_phase(progress.position);
        window.bytes = FIXED_WINDOW;
    }

    fn lost(&mut self, window: &mut Window, _: &Flight) {
        window.bytes = FIXED_WINDOW;
    }
}

const FIXED: Algorithm =
    Algorithm { name: "fixed", source: "This test.", exact_ecn: false, build: |_, _| Box::new(Fixed) };

fn textbook(algorithm: Algorithm, recovery: Recovery) -> Settings {
    let mut settings = settings::textbook(recovery);
    settings.rules.congestion.algorithm = algorithm;
    settings
}

/// One transfer of `bytes`; gives the world when all was read, and when that was.
fn transfer(settings: &Settings, there: Way, bytes: u64) -> (World, Time) {
    let mut world = World::pair([settings, settings], [there, Way::new(RATE, DELAY)]);
    world.task(CLIENT, writer(1, bytes)).task(SERVER, reader(bytes));
    world.run(Span::from_ms(600_000));
    let done = *world.done(SERVER).last().expect("the whole transfer was read");
    (world, done)
}

/// One segment of 150 is lost, whatever it is.
#[test]
fn every_algorithm_carries_a_transfer_over_a_path_that_loses() {
    for algorithm in Algorithm::ALL.into_iter().chain([FIXED]) {
        for recovery in [Recovery::Reno, Recovery::NewReno, Recovery::Sack] {
            let lossy = Way::new(RATE, DELAY).drop_every(150);
            let (world, _) = transfer(&textbook(algorithm, recovery), lossy, 1500 * MSS);
            let counters = world.client().counters();
            assert!(counters.retransmitted >= 10, "{algorithm:?}, {recovery:?}: {counters:?}");
            assert!(counters.fast_retransmits > 0, "{algorithm:?}, {recovery:?}: {counters:?}");
        }
    }
}

#[test]
fn every_algorithm_of_the_table_is_read_by_its_name_and_no_other_is() {
    let mut rules = Rules::find("linux-modern").expect("it ships");
    for algorithm in Algorithm::ALL {
        assert_eq!(Algorithm::find(algorithm.name), Some(algorithm));
        rules.congestion.algorithm = algorithm;
        let text = toml::to_string(&rules).expect("rules are a table");
        assert_eq!(Rules::from_toml(&text).expect("it was just written").congestion.algorithm, algorithm);
    }
    rules.congestion.algorithm = FIXED;
    let text = toml::to_string(&rules).expect("rules are a table");
    let error = Rules::from_toml(&text).expect_err("it is not in the table").to_string();
    let names = Algorithm::ALL.map(|algorithm| format!("`{}`", algorithm.name)).join(", ");
    assert!(error.contains(&format!("unknown variant `fixed`, expected one of {names}")), "{error}");
}

/// A window each round trip, from the first acknowledgement on.
#[test]
fn a_fixed_window_joins_through_the_seam_and_sends_a_window_each_round_trip() {
    let (world, done) = transfer(&textbook(FIXED, Recovery::Sack), Way::new(RATE, DELAY), 100 * FIXED_WINDOW);
    assert_eq!(world.client().congestion_window(), FIXED_WINDOW);
    assert_eq!(world.client().counters().retransmitted, 0);
    let round_trips = done.since(Time::ZERO).as_seconds() / (2.0 * DELAY.as_seconds());
    assert!((100.0..104.0).contains(&round_trips), "{round_trips}");
}
