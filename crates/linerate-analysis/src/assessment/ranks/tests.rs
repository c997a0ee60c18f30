use crate::assessment::assess;
use linerate_core::caution::Caution;
use linerate_core::environment::Fact;
use linerate_core::mesh::{Mesh, Moved, Pass, Phase, Rank, RankAccount, Round};
use linerate_core::observation::{Counters, Noise, Throttled};
use linerate_core::pattern::Pattern;
use linerate_core::plan::{MeshSchedule, Plan, Probe};
use linerate_core::run::{Run, Source, State};
use linerate_core::units::Span;

/// A quiet rank on a host of its own with two processors, whose interface counted what passed.
fn account(number: u32) -> RankAccount {
    let mut account = RankAccount::default();
    account.environment.hostname = Fact::Known(format!("n{number}"));
    account.environment.boot_id = Fact::Known(format!("boot {number}"));
    account.environment.network_namespace = Fact::Known("1".to_owned());
    account.environment.cpus = Fact::Known(vec![0, 1]);
    account.observation.cpus = vec![0];
    account.observation.noise = Fact::Known(Noise {
        watched: Span::from_ms(500),
        lost: Span::ZERO,
        gaps: 0,
        longest: Span::ZERO,
        threshold: Span::from_us(1),
        throttled: Span::ZERO,
    });
    account.far = Moved { sent_bytes: 10_000_000, received_bytes: 20_000_000 };
    account.observation.interface = Fact::Known(Counters {
        interface: "eth0".to_owned(),
        tx_bytes: 10_500_000,
        rx_bytes: 21_000_000,
        ..Counters::default()
    });
    account
}

fn cautions(accounts: Vec<RankAccount>) -> Vec<Caution> {
    let mut run = Run::new(Source::Measured, Plan::default());
    run.state = State::Complete;
    let rank = |number: usize| Rank { name: format!("r{number}"), ..Rank::default() };
    run.mesh = Some(Mesh { ranks: (0..accounts.len()).map(rank).collect(), ..Mesh::default() });
    run.set_ranks(accounts.into_iter().map(Some).collect());
    assess(&run)
}

fn changed(change: impl Fn(&mut [RankAccount])) -> Vec<Caution> {
    let mut accounts: Vec<_> = (0..4).map(account).collect();
    change(&mut accounts);
    cautions(accounts)
}

#[test]
fn quiet_hosts_with_a_rank_each_raise_nothing() {
    assert_eq!(changed(|_| {}), []);
    assert_eq!(cautions(Vec::new()), []);
}

#[test]
fn ranks_that_share_a_host_are_counted() {
    let found = changed(|all| {
        all[1].environment = all[0].environment.clone();
        all[1].observation.cpus = vec![1];
        // Both use one interface, which counts what both exchange with others.
        if let Fact::Known(counters) = &mut all[0].observation.interface {
            counters.tx_bytes *= 2;
            counters.rx_bytes *= 2;
        }
    });
    assert_eq!(found, [Caution::RanksShareHost { ranks: 2, of: 4 }]);
}

#[test]
fn namespaces_of_a_host_share_its_processors_and_not_its_network() {
    let found = changed(|all| {
        for (number, account) in all.iter_mut().enumerate() {
            account.environment.boot_id = Fact::Known("one".to_owned());
            account.environment.network_namespace = Fact::Known(number.to_string());
        }
    });
    let expected = Caution::MoreRanksThanProcessors { host: "n0".to_owned(), ranks: 4, processors: 2 };
    assert_eq!(found, [expected]);
}

#[test]
fn ranks_that_only_ever_ran_on_one_processor_are_named() {
    let found = changed(|all| {
        all[3].environment.boot_id = all[2].environment.boot_id.clone();
        all[3].environment.network_namespace = Fact::Known("2".to_owned());
    });
    assert_eq!(found, [Caution::RanksShareProcessor { host: "n2".to_owned(), ranks: 2, cpu: 0 }]);
    let apart = changed(|all| {
        all[3].environment.boot_id = all[2].environment.boot_id.clone();
        all[3].environment.network_namespace = Fact::Known("2".to_owned());
        all[3].observation.cpus = vec![0, 1];
    });
    assert_eq!(apart, []);
}

#[test]
fn an_interface_that_did_not_carry_it_is_named() {
    let found = changed(|all| {
        for account in &mut all[1..3] {
            if let Fact::Known(counters) = &mut account.observation.interface {
                counters.rx_bytes = 9_000;
            }
        }
    });
    let expected = Caution::RanksTookAnotherWay {
        host: "n1".to_owned(),
        more: 1,
        interface: "eth0".to_owned(),
        payload: 20_000_000,
        counted: 9_000,
    };
    assert_eq!(found, [expected]);
    // A few kilobytes more or less are no other way.
    let near = changed(|all| all[0].far.sent_bytes = 10_560_000);
    assert_eq!(near, []);
}

#[test]
fn hosts_that_lose_time_are_counted_and_the_worst_named() {
    let found = changed(|all| {
        for (account, lost) in all.iter_mut().zip([0, 30, 60, 1]) {
            if let Fact::Known(noise) = &mut account.observation.noise {
                noise.lost = Span::from_ms(lost);
            }
        }
    });
    let expected = Caution::NoisyHosts { hosts: 2, of: 4, worst: "n2".to_owned(), share: 0.12 };
    assert_eq!(found, [expected]);
}

#[test]
fn hosts_that_a_quota_stops_are_not_noisy() {
    let found = changed(|all| {
        for (account, stopped) in all.iter_mut().zip([0, 300, 600, 9]) {
            let observation = &mut account.observation;
            observation.load.span = Span::from_ms(1_000);
            let quota = Throttled { throttled: Span::from_ms(stopped), ..Throttled::default() };
            observation.load.throttled = Fact::Known(quota);
            if let Fact::Known(noise) = &mut observation.noise {
                (noise.lost, noise.throttled) = (Span::from_ms(stopped / 2), Span::from_ms(stopped / 2));
            }
        }
    });
    let expected = Caution::ThrottledHosts { hosts: 2, of: 4, worst: "n2".to_owned(), share: 0.6 };
    assert_eq!(found, [expected]);
}

/// Pairs of four ranks, at these sizes, with these times of a message in microseconds.
fn visited(schedule: MeshSchedule, sizes: &[(u64, u64)]) -> Vec<Caution> {
    let mut run = Run::new(Source::Measured, Plan::default());
    run.state = State::Complete;
    let rank = |number: usize| Rank { name: format!("r{number}"), ..Rank::default() };
    let times: Vec<_> = sizes.iter().map(|(_, us)| Some(Span::from_us(*us))).collect();
    let pairs = (0..4_u32).flat_map(|from| (0..4).map(move |to| (from, to))).filter(|(from, to)| from != to);
    let passes =
        pairs.map(|(from, to)| Pass { from, to, times: times.clone(), visits: Vec::new() }).collect();
    run.mesh = Some(Mesh {
        ranks: (0..4).map(rank).collect(),
        probes: sizes.iter().map(|(size, _)| Probe { pattern: Pattern::OneWay, size: *size }).collect(),
        phases: vec![Phase { schedule, rounds: vec![Round { passes }] }],
        ..Mesh::default()
    });
    run.set_ranks((0..4).map(account).map(Some).collect());
    assess(&run)
}

#[test]
fn small_messages_that_are_faster_than_the_largest_passed_in_a_burst() {
    let largest = (1 << 20, 838_860);
    let found = visited(MeshSchedule::Pairs, &[(64, 15), (4_096, 3_277), largest]);
    let [Caution::MeshInBursts { size: 64, rate, largest: 0x10_0000, largest_rate }] = found[..] else {
        panic!("{found:?}")
    };
    assert_eq!((rate.to_string(), largest_rate.to_string()), ("34.1 Mb/s".into(), "10.0 Mb/s".into()));
    let text = found[0].to_string();
    assert!(
        text.starts_with("messages of 64 B came out at 34.1 Mb/s, and those of 1048576 B at 10.0 Mb/s; "),
        "{text}"
    );
    // 10.5 Mb/s at 1,000 B, as noise may make it; 20 Mb/s at 64 KiB, as a cache may.
    assert_eq!(visited(MeshSchedule::Pairs, &[(1_000, 760), (65_536, 26_214), largest]), []);
    assert_eq!(visited(MeshSchedule::Ring, &[(64, 15), largest]), [], "timed after the burst");
    assert_eq!(visited(MeshSchedule::Pairs, &[(64, 15)]), [], "nothing to compare with");
}
