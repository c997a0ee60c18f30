//! One line for each interval of a stream, as it passes.

use linerate_core::carrier::Look;
use linerate_core::kernel::TcpSample;
use linerate_core::traffic::StreamPlan;
use linerate_core::units::Rate;

use crate::text::count;

/// What arrived in an interval: the flows' bytes in each direction, and what TCP says of the first
/// flow, if this end sends it: only the sender has a congestion window that counts.
pub fn interval(stream: &StreamPlan, look: &Look) -> String {
    let Look { until, span, bytes, tcp } = look;
    let (until, span) = (*until, *span);
    let since = until.saturating_sub(span);
    let mut line = format!("{:>8.3} - {:>8.3} s", since.as_seconds(), until.as_seconds());
    let each = stream.flows.max(1) as usize;
    for (part, bytes) in stream.direction.parts().iter().zip(bytes.chunks(each)) {
        let rate = Rate::of(bytes.iter().sum(), span);
        let rate = rate.map_or_else(|| "-".to_owned(), |rate| rate.to_string());
        line.push_str(&format!("  {part} {rate:>12}"));
    }
    let sending = tcp.first().and_then(Option::as_ref).filter(|sample| sample.sends());
    if let Some(sample) = sending {
        let TcpSample { rtt, cwnd, retransmits, .. } = sample;
        line.push_str(&format!("  rtt {rtt}, cwnd {cwnd}, {retransmits} retransmitted"));
    }
    let still = bytes.iter().filter(|bytes| **bytes == 0).count();
    if still > 0 {
        line.push_str(&format!("  {still} of {} still", count(bytes.len() as u64, "flow")));
    }
    line + "\n"
}

#[cfg(test)]
mod tests {
    use linerate_core::traffic::Direction;
    use linerate_core::units::Span;

    use super::*;

    #[test]
    fn a_line_has_each_direction_and_what_stands_still() {
        let stream = StreamPlan { flows: 2, direction: Direction::Both, ..StreamPlan::default() };
        let second = Span::from_ms(1_000);
        let tcp = TcpSample { rtt: Span::from_us(250), cwnd: 10, acknowledged: 1, ..TcpSample::default() };
        let look = Look {
            until: second * 2,
            span: second,
            bytes: vec![62_500_000, 62_500_000, 0, 125_000],
            tcp: vec![Some(tcp)],
        };
        let line = interval(&stream, &look);
        assert_eq!(
            line,
            "   1.000 -    2.000 s  send    1.00 Gb/s  receive    1.00 Mb/s  rtt 250 us, cwnd 10, 0 retransmitted  \
             1 of 4 flows still\n"
        );
        let received = TcpSample { received: 9_000, acknowledged: 60, cwnd: 10, ..TcpSample::default() };
        let line = interval(&stream, &Look { tcp: vec![Some(received)], ..look });
        assert!(!line.contains("cwnd"), "{line}");
    }

    #[test]
    fn a_line_without_time_has_no_rate_and_one_flow_is_no_plural() {
        let stream = StreamPlan::default();
        let look = |span, bytes| Look { until: span, span, bytes: vec![bytes], tcp: vec![None] };
        let nothing = interval(&stream, &look(Span::ZERO, 1));
        assert_eq!(nothing, "   0.000 -    0.000 s  send            -\n");
        let still = interval(&stream, &look(Span::from_ms(1_000), 0));
        assert!(still.ends_with("  1 of one flow still\n"), "{still}");
    }
}
