//! What becomes of a load that cannot be carried.

use linerate_core::carrier::Carrier as _;
use linerate_core::traffic::{Class, Direction, Ended, RrPlan, StreamPlan};
use linerate_core::units::Span;
use linerate_sim::carrier::{Ends, ModelCarrier};
use rstest::rstest;

use super::{NEVER, Silent, bulk, carried, carrier, requests};
use crate::support::plans::plan;

const DIRECT: &str = "[network]\nmedium = 'ethernet'\n";

#[rstest]
#[case::plain("")]
#[case::tcp("[tcp]")]
fn a_network_that_loses_everything_fails_every_flow(#[case] upper: &str) {
    let mut carrier = carrier(&format!("{DIRECT}{upper}\n[[impair]]\nloss = 1.0"), &[1]);
    let load = bulk(StreamPlan { direction: Direction::Both, ..StreamPlan::default() }, 100);
    let transfer = carried(&mut carrier, &load);
    assert_eq!(transfer.flows.len(), 2);
    for flow in &transfer.flows {
        assert!(matches!(flow.class(NEVER), Class::Failed(_) | Class::Stalled(_)), "{flow:?}");
        assert_eq!(flow.receiver.bytes, 0);
    }
    let transfer = carried(&mut carrier, &requests(RrPlan::default(), 100));
    assert!(!matches!(transfer.latencies[0].ended, Ended::Complete), "{transfer:?}");
}

#[rstest]
#[case::nobody("", 0, &[], "stations")]
#[case::stranger("", 0, &[2], "station")]
#[case::itself("", 0, &[0], "station")]
#[case::twice("stations = 3\ntopology = 'switch'\n", 0, &[1, 1], "station")]
#[case::datagrams("[transport]\nkind = 'datagram'\n", 0, &[1], "transport.kind")]
#[case::host("[host]\nprofile = 'modern'\n", 0, &[1], "host")]
#[case::disorder("[[impair]]\njitter = '1ms'\n", 0, &[1], "impair")]
fn what_no_model_carries_is_refused_by_name(
    #[case] text: &str,
    #[case] beginning: u32,
    #[case] answering: &[u32],
    #[case] key: &str,
) {
    let stations = Ends { beginning, answering: answering.to_vec() };
    let error =
        ModelCarrier::build(&plan(&format!("{DIRECT}{text}")), &stations, None).expect_err(key).to_string();
    assert!(error.starts_with(key), "{error}");
}

#[test]
fn a_load_that_would_take_hours_is_refused() {
    let mut carrier = carrier(DIRECT, &[1]);
    let interval = Span::from_ms(10);
    let loads = [
        (bulk(StreamPlan::default(), 36_000_000), "time"),
        (bulk(StreamPlan { count: Some(1 << 40), ..StreamPlan::default() }, 1), "count"),
        (bulk(StreamPlan { interval, flows: 4096, ..StreamPlan::default() }, 10_000), "interval"),
        (requests(RrPlan { rate: Some(1e9), ..RrPlan::default() }, 10_000), "rate"),
    ];
    for (load, key) in loads {
        let carried = carrier.carry(&load, &mut Silent);
        assert!(carried.transfer.is_none(), "{key}");
        let error = carried.ended.expect_err(key).to_string();
        assert!(error.starts_with(key), "{error}");
    }
}
