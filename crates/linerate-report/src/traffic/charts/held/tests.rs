use linerate_core::kernel::TcpSample;
use linerate_core::traffic::{Ended, FlowAccount, HalfAccount, Transfer};
use linerate_core::units::Span;

use super::*;
use crate::fixture;

/// A flow that its receiver's window held back in the second of two seconds.
fn transfer() -> Transfer {
    let ms = Span::from_ms;
    let tcp = |nth: u64| TcpSample {
        at: ms(100 * nth),
        busy: Some(ms(100 * nth)),
        rwnd_limited: ms(100 * nth.saturating_sub(10)),
        ..TcpSample::default()
    };
    let half = HalfAccount {
        ended: Ended::Complete,
        first: Some(Span::ZERO),
        last: Some(ms(2_000)),
        tcp: (1..=20).map(tcp).collect(),
        ..HalfAccount::default()
    };
    let flow =
        FlowAccount { flow: 0, peer: 0, direction: Direction::Send, sender: half.clone(), receiver: half };
    Transfer { flows: vec![flow], ..Transfer::default() }
}

#[test]
fn a_load_has_bars_over_time_that_stand_on_each_other() {
    let figures = figures(&fixture::loads(vec![transfer()]));
    let [figure] = &figures[..] else { panic!("one direction: {}", figures.len()) };
    assert_eq!(figure.id, "held-0-send");
    let named: Vec<_> = figure
        .layers
        .iter()
        .map(|layer| (layer.name.as_str(), layer.svg.matches("<polygon").count()))
        .collect();
    assert_eq!(named, [("receiver window", 5), ("congestion window or path", 5)]);
    assert_eq!(figure.layers[0].aims[0].lines, ["1.000 to 1.200 s", "receiver window: 100.0 %"]);
}

#[test]
fn many_loads_have_one_bar_each() {
    let figures = figures(&fixture::loads(vec![transfer(); 4]));
    let [figure] = &figures[..] else { panic!("one for all: {}", figures.len()) };
    let bars: Vec<_> = figure.layers.iter().map(|layer| layer.svg.matches("<polygon").count()).collect();
    assert_eq!((figure.id.as_str(), bars), ("held", vec![4, 4]));
}

#[test]
fn without_the_kernels_account_there_is_no_chart() {
    assert!(figures(&fixture::loads(vec![Transfer::default()])).is_empty());
}
