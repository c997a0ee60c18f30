//! What held a flow back from one moment to the next.

use super::{Account, JUDGED, Known, Seen, Shares, TcpSample, but_the_end, have_time_left, judged, outages};
use crate::units::Span;

/// A part of a flow's time, and what held the flow back in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stretch {
    /// Its begin, since the load began at the sender.
    pub since: Span,
    /// Its end.
    pub until: Span,
    /// The share of it that each holder has.
    pub shares: Shares,
}

/// What held a flow back over time, by the rule of [`holders`](super::holders): a stretch for every
/// 200 ms or longer look, because the kernel counts in ticks of up to 10 ms; of a model, whose kernel
/// counts exactly, one for each look.
///
/// Of what is `known`, the link and the rates are not used: `at_line_rate` says of the time between two
/// moments whether the link was full.
#[must_use]
pub fn course(known: &Known<'_>, at_line_rate: impl Fn(Span, Span) -> bool) -> Vec<Stretch> {
    let Known { sender, receiver, hosts, paced, ends, .. } = *known;
    let least = if ends.modelled { Span::from_ps(1) } else { JUDGED };
    let beginning = TcpSample::default();
    let (mut first, mut looks_from) = (&beginning, 0);
    let outages = outages(known);
    let whole = [0, 1].map(|end| judged(hosts[end], paced[end]));
    let has_time = have_time_left(but_the_end(receiver), whole.each_ref().map(Vec::as_slice));
    let mut stretches = Vec::new();
    for (place, last) in sender.iter().enumerate() {
        let (since, until) = (first.at, last.at);
        if until.saturating_sub(since) < least {
            continue;
        }
        // What was found at the end of a stretch is of the stretch, but for the flow's own end.
        let to = if place + 1 == sender.len() { place } else { place + 1 };
        let meanwhile =
            |end: usize| judged(within(hosts[end], |look| look.until, (since, until)), paced[end]);
        let [one, other] = [0, 1].map(meanwhile);
        let receiver = within(receiver, |look| look.at, (since, until));
        let Some(account) = Account::of(first, last, until - since) else { return Vec::new() };
        let account = account.beside(outages.share_of(since, until));
        let full = at_line_rate(since, until);
        let (sender, hosts) = (&sender[looks_from..to], [one.as_slice(), &other]);
        let seen = Seen { sender, receiver, hosts, has_time, paced: paced[0], ends };
        stretches.push(Stretch { since, until, shares: account.divided(&seen, f64::from(u8::from(full))) });
        (first, looks_from) = (last, place + 1);
    }
    stretches
}

/// The looks at `moments` in a stretch, with some room for a clock that began a little later.
fn within<T>(looks: &[T], moments: impl Fn(&T) -> Span, (since, until): (Span, Span)) -> &[T] {
    let slack = (until - since) / 10;
    let after = |moment: Span| looks.partition_point(|look| moments(look) <= moment + slack);
    &looks[after(since)..after(until)]
}

#[cfg(test)]
mod tests {
    use super::super::HostSample;
    use super::super::{Ends, Holder};
    use super::*;

    /// A look every 100 ms, at which so many ms of these were counted since the one before.
    fn samples(parts: &[[u64; 3]]) -> Vec<TcpSample> {
        let sum = |nth: usize, part: usize| parts[..=nth].iter().map(|it| it[part]).sum();
        let sample = |nth: usize| TcpSample {
            at: Span::from_ms(100 * (nth as u64 + 1)),
            busy: Some(Span::from_ms(sum(nth, 0))),
            rwnd_limited: Span::from_ms(sum(nth, 1)),
            sndbuf_limited: Span::from_ms(sum(nth, 2)),
            ..TcpSample::default()
        };
        (0..parts.len()).map(sample).collect()
    }

    fn of<'a>(sender: &'a [TcpSample], receiving: &'a [HostSample]) -> Known<'a> {
        Known { sender, hosts: [&[], receiving], ..Known::default() }
    }

    #[test]
    fn each_stretch_has_what_was_counted_in_it() {
        let parts = [[100, 0, 0], [100, 0, 0], [100, 100, 0], [100, 60, 0], [20, 0, 20], [0, 0, 0]];
        let stretches = course(&of(&samples(&parts), &[]), |_, _| false);
        let told: Vec<_> = stretches.iter().map(|it| (it.since, it.until)).collect();
        let ms = Span::from_ms;
        assert_eq!(told, [(ms(0), ms(200)), (ms(200), ms(400)), (ms(400), ms(600))]);
        let share = |nth: usize, holder| stretches[nth].shares.of(holder);
        assert_eq!(share(0, Holder::CongestionWindow), 1.0);
        assert!((share(1, Holder::ReceiverWindow) - 0.8).abs() < 1e-12);
        assert!((share(2, Holder::SendBuffer) - 0.1).abs() < 1e-12);
        assert!((share(2, Holder::Application) - 0.9).abs() < 1e-12);
    }

    #[test]
    fn a_model_is_told_look_by_look_and_a_full_link_where_it_was_full() {
        let parts = [[100, 50, 0]; 4];
        let full = |since: Span, _: Span| since >= Span::from_ms(200);
        let stretches = course(
            &Known { ends: Ends { modelled: true, ..Ends::default() }, ..of(&samples(&parts), &[]) },
            full,
        );
        let link: Vec<f64> = stretches.iter().map(|it| it.shares.of(Holder::Link)).collect();
        assert_eq!(link, [0.0, 0.0, 1.0, 1.0]);
    }

    #[test]
    fn a_processor_is_saturated_only_where_it_was() {
        let busy = |until: u64, thread: u64| HostSample {
            until: Span::from_ms(until),
            span: Span::from_ms(100),
            busiest_thread: Span::from_ms(thread),
            ..HostSample::default()
        };
        // The peer's clock began a little later.
        let host: Vec<HostSample> =
            [(103, 50), (203, 50), (303, 99), (403, 99)].map(|(until, thread)| busy(until, thread)).into();
        let stretches = course(&of(&samples(&[[100, 0, 0]; 4]), &host), |_, _| false);
        let holder = Holder::Processor(super::super::Host::Receiver);
        let shares: Vec<f64> = stretches.iter().map(|it| it.shares.of(holder)).collect();
        assert_eq!(shares, [0.0, 1.0]);
    }

    #[test]
    fn where_the_kernel_does_not_count_there_is_nothing() {
        let looks = [TcpSample { at: Span::from_ms(300), ..TcpSample::default() }];
        assert_eq!(course(&of(&looks, &[]), |_, _| false), []);
        assert_eq!(course(&of(&[], &[]), |_, _| false), []);
    }
}
