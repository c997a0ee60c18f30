//! When a link was down, and for how long TCP waited for it.

use super::{HostSample, Known, TcpSample};
use crate::units::Span;

/// The times without a link, one after the other.
#[derive(Debug, PartialEq)]
pub(super) struct Outages(Vec<(Span, Span)>);

/// When the link of one of the hosts was down, each time until its sender heard of its peer again: TCP is not
/// told that a link is up, and sends again when its timer runs out, whose time doubled meanwhile.
///
/// Source: RFC 6298, section 5.5.
pub(super) fn outages(known: &Known<'_>) -> Outages {
    let down = known.hosts.iter().flat_map(|looks| looks.iter()).filter(|look| look.link_down > Span::ZERO);
    let mut down: Vec<(Span, Span)> = down.map(|look| since_and_until(look, known.sender)).collect();
    down.sort_unstable();
    let mut apart: Vec<(Span, Span)> = Vec::new();
    for (since, until) in down {
        match apart.last_mut() {
            Some(last) if since <= last.1 => last.1 = last.1.max(until),
            _ => apart.push((since, until)),
        }
    }
    Outages(apart)
}

/// The time without a link that one look tells of, to which the wait after it belongs.
fn since_and_until(look: &HostSample, sender: &[TcpSample]) -> (Span, Span) {
    let (later, so_far) =
        (sender.partition_point(|it| it.at <= look.until), |it: &TcpSample| it.acknowledged);
    let before = sender[..later].last().map_or(0, so_far);
    let silent = sender[later..].iter().take_while(|it| it.acknowledged == before).last();
    let until = silent.map_or(look.until, |it| it.at);
    (look.until.saturating_sub(look.link_down), until)
}

impl Outages {
    /// The share that they have of the time between two moments.
    pub(super) fn share_of(&self, since: Span, until: Span) -> f64 {
        let common =
            |(from, to): &(Span, Span)| (*to).min(until).saturating_sub((*from).max(since)).as_seconds();
        let whole = until.saturating_sub(since).as_seconds();
        if whole > 0.0 { (self.0.iter().map(common).sum::<f64>() / whole).min(1.0) } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Span {
        Span::from_ms(ms)
    }

    /// A look every 100 ms, each with so many ms without a link.
    fn host(down: &[u64]) -> Vec<HostSample> {
        let look = |(nth, down): (u64, &u64)| HostSample {
            until: ms(100 * nth),
            span: ms(100),
            link_down: ms(*down),
            ..HostSample::default()
        };
        (1..).zip(down).map(look).collect()
    }

    /// A look every 100 ms, each with so much acknowledged.
    fn sender(acknowledged: &[u64]) -> Vec<TcpSample> {
        let look = |(nth, acknowledged): (u64, &u64)| TcpSample {
            at: ms(100 * nth),
            acknowledged: *acknowledged,
            ..TcpSample::default()
        };
        (1..).zip(acknowledged).map(look).collect()
    }

    #[test]
    fn what_both_hosts_saw_is_one_time_and_each_time_is_counted_once() {
        let (here, there) = (host(&[0, 60, 100, 0, 0, 0, 20]), host(&[0, 40, 100, 10, 0, 0, 0]));
        let known = Known { hosts: [&here, &there], ..Known::default() };
        let found = outages(&known);
        assert_eq!(found, Outages(vec![(ms(140), ms(300)), (ms(390), ms(400)), (ms(680), ms(700))]));
        assert!((found.share_of(Span::ZERO, ms(1_000)) - 0.19).abs() < 1e-12);
        assert!((found.share_of(ms(200), ms(400)) - 0.55).abs() < 1e-12);
        assert_eq!(found.share_of(ms(100), ms(100)), 0.0);
    }

    #[test]
    fn the_wait_for_the_timer_is_the_outages_too() {
        let (here, tcp) = (host(&[0, 100, 100, 0, 0, 0]), sender(&[500, 500, 500, 500, 500, 900]));
        let known = Known { hosts: [&here, &[]], sender: &tcp, ..Known::default() };
        assert_eq!(outages(&known), Outages(vec![(ms(100), ms(500))]));
        let at_once = sender(&[500, 500, 500, 900, 900, 900]);
        let known = Known { sender: &at_once, ..known };
        assert_eq!(outages(&known), Outages(vec![(ms(100), ms(300))]), "a later silence has its own reason");
        let known = Known { hosts: [&[], &[]], ..known };
        assert_eq!(outages(&known), Outages(Vec::new()), "without an outage there is no wait for its end");
    }
}
