use crate::assessment::assess;
use crate::caution::Caution;
use crate::environment::Fact;
use crate::mesh::{Mesh, Moved, Rank, RankAccount};
use crate::observation::{Counters, Noise};
use crate::plan::Plan;
use crate::run::{Run, Source, State};
use crate::units::Span;

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
