//! Hosts that are drawn, and what they had to do with a flow.

use proptest::prelude::*;

use super::super::tests::{SECOND, sample, worked};
use super::super::{Known, holders};
use super::*;

proptest! {
    /// Two processors that both ends of one host and other programs fill: a thread waits for each as often as it runs.
    #[test]
    fn a_wait_on_one_host_is_the_others_as_far_as_they_ran(
        ran in prop::array::uniform2(0.15..0.4_f64), waited in 0.4..0.6_f64, burners in any::<bool>(),
    ) {
        let others = if burners { 2.0 - ran[0] - ran[1] } else { 0.0 };
        let hosts = ran.map(|ran| {
            let [user, process] = [ran + others, ran].map(Span::from_seconds);
            [HostSample { user, process, ..worked([ran, waited])[0].clone() }]
        });
        // Both are counted of the whole host.
        let both = hosts[0][0].user + hosts[1][0].process;
        let hosts = hosts.map(|[host]| [HostSample { user: if burners { Span::from_ms(2_000) } else { both }, ..host }]);
        let tcp = [TcpSample::default(), sample(1_000, 0, 0)];
        let hosts: [&[HostSample]; 2] = [&hosts[0], &hosts[1]];
        let ends = Ends { on_one_host: true, ..Ends::default() };
        let verdict = holders(&Known { sender: &tcp, hosts, span: SECOND, ends, ..Known::default() }).expect("counted");
        let theirs = verdict.shares.of(Holder::Others);
        prop_assume!(verdict.winner != Holder::CongestionWindow);
        prop_assert!(if burners { theirs >= 0.69 } else { theirs == 0.0 }, "{}", verdict);
    }

    #[test]
    fn a_thread_whose_work_varies_while_as_much_arrives_holds_nothing_back(
        parts in prop::collection::vec((0.3..1.0_f64, 0.99..1.01_f64), 10..40), least_us in 5_u64..100, trips in 3_u64..9,
    ) {
        // Others leave its thread now more and now less, and it is always ready.
        let hosts: Vec<HostSample> = parts.iter().map(|(ran, _)| worked([*ran, 1.0 - ran])[0].clone()).collect();
        let [min_rtt, rtt] = [least_us, least_us * trips].map(Span::from_us);
        let looks = |arrived: &dyn Fn(&(f64, f64)) -> f64| {
            let mut received = 0.0;
            let look = |(nth, part): (u64, &(f64, f64))| {
                received += 1e8 * arrived(part);
                TcpSample {
                    at: SECOND * nth,
                    received: received as u64,
                    unacked: 90,
                    cwnd: 400,
                    mss: 1_448,
                    notsent: 9_000,
                    rtt,
                    min_rtt,
                    ..sample(1_000 * nth, 0, 0)
                }
            };
            (1..).zip(&parts).map(look).collect::<Vec<_>>()
        };
        let verdict = |looks: &[TcpSample]| {
            let known = Known {
                sender: looks,
                receiver: looks,
                hosts: [&hosts, &hosts],
                span: SECOND * parts.len() as u64,
                ..Known::default()
            };
            holders(&known).expect("the kernel counted")
        };
        let metered = verdict(&looks(&|(_, noise)| *noise));
        prop_assume!({
            let mut ran: Vec<f64> = parts.iter().map(|(ran, _)| *ran).collect();
            ran.sort_by(f64::total_cmp);
            ran[ran.len() - 6] - ran[5] > 0.15
        });
        prop_assert_eq!(metered.winner, Holder::CongestionWindow, "{}", metered);
        prop_assert_eq!(metered.queued, 1.0, "a queue that no host made, however short");
        let short = verdict(&looks(&|(ran, noise)| ran * noise));
        prop_assert!(short.winner != Holder::CongestionWindow, "it delivers what it works: {}", short);
        prop_assert_eq!(short.queued, 0.0, "hosts may take {} of it", rtt);
    }
}
