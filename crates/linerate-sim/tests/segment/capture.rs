//! The capture effect: who wins after a collision, exactly, and for how long.

use linerate_sim::ethernet::segment::Parameters;
use rstest::rstest;
use statrs::distribution::{ChiSquared, ContinuousCDF as _};

use super::bench::{What, World, gigabit, ten_megabit};

/// A port, and whether it collided rather than sent.
type Outcome = (usize, bool);

/// How often the fresh station won, neither, or the other.
type Races = [f64; 3];

/// Adds the races of two stations, by how often the less lucky one's frame has collided.
///
/// A race follows each collision: it is decided by the next frame that is out, and a tie is the
/// next collision. Where both frames have collided once, station 0 counts as the fresh one.
fn add_races(lines: &[Outcome], races: &mut [Races]) {
    let mut attempts = [0_usize; 2];
    let mut race: Option<(usize, usize)> = None;
    let mut jams = 0;
    for (port, collided) in lines.iter().copied() {
        let outcome =
            if collided { 1 } else { 2 * usize::from(race.is_some_and(|(fresh, _)| fresh != port)) };
        // The second jam of a collision is no event of its own.
        let second = collided && jams == 1;
        if !second && let Some((_, n)) = race.take() {
            races[n][outcome] += 1.0;
        }
        jams = usize::from(collided && !second);
        attempts[port] = if collided { attempts[port] + 1 } else { 0 };
        if second {
            let fresh = usize::from(attempts[1] < attempts[0]);
            let n = attempts[1 - fresh];
            race = (attempts[fresh] == 1 && n < races.len()).then_some((fresh, n));
        }
    }
}

fn races(seeds: u64, frames: u64) -> Vec<Races> {
    let mut races = vec![[0.0; 3]; 5];
    for seed in 0..seeds {
        let mut world = World::of_stations(ten_megabit(), 2, 25, seed).keep_lines();
        world.saturate_all(&[1_518]);
        world.run_until_delivered(frames);
        let lines = world.lines().iter().filter(|line| matches!(line.what, What::Sent | What::Collided));
        let lines: Vec<Outcome> =
            lines.map(|line| (line.port as usize, line.what == What::Collided)).collect();
        add_races(&lines, &mut races);
    }
    races
}

#[test]
fn races_are_won_with_the_probabilities_of_their_windows() {
    let races = races(1_500, 6);
    let chi_square = ChiSquared::new(2.0).expect("two degrees of freedom");
    let expected = [1, 2, 3, 4].map(|n| {
        let window = f64::from(1 << n);
        (n, [1.0 - 1.5 / window, 1.0 / window, 0.5 / window])
    });
    assert_eq!(expected[0].1, [0.25, 0.5, 0.25]);
    assert_eq!(expected.map(|(_, odds)| odds[0] * 32.0)[1..], [20.0, 26.0, 29.0], "5/8, 13/16, 29/32");
    for (n, odds) in expected {
        let seen = races[n];
        let total: f64 = seen.iter().sum();
        assert!(total >= 600.0, "{n}: only {total}");
        let distance: f64 =
            seen.iter().zip(odds).map(|(seen, odds)| (seen - odds * total).powi(2) / (odds * total)).sum();
        let chance = 1.0 - chi_square.cdf(distance);
        println!("after {n}: {seen:?}, by chance {chance:.3}");
        assert!(chance > 0.001, "after {n}: {seen:?} is not {odds:?}");
    }
}

#[rstest]
#[case::long(ten_megabit(), 1_518, 25, 60_000, 140.0)]
#[case::short(ten_megabit(), 64, 25, 400_000, 2_000.0)]
#[case::gigabit(gigabit().without_bursting(), 1_518, 500, 200_000, 850.0)]
fn one_of_two_stations_keeps_the_medium_for_long(
    #[case] parameters: Parameters,
    #[case] length: u64,
    #[case] delay: u64,
    #[case] frames: u64,
    #[case] published: f64,
) {
    let mut world = World::of_stations(parameters, 2, delay, 1).keep_lines();
    world.saturate_all(&[length]);
    world.run_until_delivered(frames);
    let senders = world.times(|what| what == What::Sent);
    let runs = 1 + senders.windows(2).filter(|pair| pair[0].0 != pair[1].0).count();
    let mean = senders.len() as f64 / runs as f64;
    println!("{length} B: mean run {mean:.0} of {runs}");
    assert!((published / 2.0..published * 2.0).contains(&mean), "{mean}");
    let share = world.stations.delivered_from[0] as f64 / frames as f64;
    assert!((0.3..0.7).contains(&share), "in the long run each has its turn: {share}");
}
