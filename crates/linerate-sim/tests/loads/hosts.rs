//! What a load shows of modelled hosts, and what passes their ports.

use linerate_core::traffic::StreamPlan;
use linerate_core::units::{Span, Time};
use linerate_sim::carrier::{Ends, ModelCarrier};

use super::{bulk, carried, carrier};
use crate::support::plans::plan;

const DIRECT: &str = "[network]\nmedium = 'ethernet'\n";

#[test]
fn a_machine_that_costs_something_says_how_busy_it_is() {
    let interval = Span::from_ms(50);
    let load = bulk(StreamPlan { interval, ..StreamPlan::default() }, 200);
    let free = carried(&mut carrier(&format!("{DIRECT}[tcp]"), &[1]), &load);
    assert_eq!(free.hosts, [vec![], vec![]], "nothing of it is modelled");
    let text = format!("{DIRECT}[tcp]\n[host]\nprofile = 'pentium-ii-350'");
    let priced = carried(&mut carrier(&text, &[1]), &load);
    for samples in &priced.hosts {
        assert!(samples.len() >= 4, "{samples:?}");
        for sample in samples {
            assert_eq!(sample.processors, 1);
            let busy = sample.irq + sample.softirq + sample.system;
            assert!((0.0..=1.0).contains(&sample.busiest) && busy > Span::ZERO, "{sample:?}");
        }
    }
    // A Pentium II cannot fill a gigabit line: one of the two has no time left.
    let busiest = |samples: &[linerate_core::kernel::HostSample]| samples[2].busiest;
    assert!(busiest(&priced.hosts[0]).max(busiest(&priced.hosts[1])) > 0.9, "{:?}", priced.hosts);
}

#[test]
fn a_trace_has_all_loads_one_after_the_other() {
    let stations = Ends { beginning: 0, answering: vec![1] };
    let mut carrier =
        ModelCarrier::build(&plan(&format!("{DIRECT}[tcp]")), &stations, Some(10_000)).expect("a model");
    let load = bulk(StreamPlan { count: Some(1), ..StreamPlan::default() }, 1);
    let mut ends = Vec::new();
    for _ in 0..2 {
        carried(&mut carrier, &load);
        ends.push(carrier.take_trace().map_or(0, |trace| trace.passages().len()));
    }
    assert!(ends[0] > 100 && ends[1] == 0, "{ends:?}: it is taken once");
    let mut carrier =
        ModelCarrier::build(&plan(&format!("{DIRECT}[tcp]")), &stations, Some(10_000)).expect("a model");
    carried(&mut carrier, &load);
    carried(&mut carrier, &load);
    let trace = carrier.take_trace().expect("it was asked for");
    let times: Vec<Time> = trace.passages().iter().map(|passage| passage.time).collect();
    assert_eq!(times.len(), 2 * ends[0]);
    assert!(times.is_sorted());
}
