//! What a load shows of modelled hosts, and what passes their ports.

use linerate_core::kernel::HostSample;
use linerate_core::traffic::StreamPlan;
use linerate_core::units::{Size, Span, Time};
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
    let third = priced.hosts.iter().map(|samples| {
        assert!(samples.len() >= 50, "{} looks", samples.len());
        for sample in samples {
            assert_eq!(sample.processors, 1);
            assert!((0.0..=1.0).contains(&sample.busiest), "{sample:?}");
        }
        // The looks of the third interval as one.
        let within = |sample: &&HostSample| sample.until > interval * 2 && sample.until <= interval * 3;
        let looks = samples.iter().filter(within).cloned();
        let whole = looks.reduce(|mut sum, look| {
            sum.absorb(&look);
            sum
        });
        whole.expect("there are looks in it")
    });
    let third: Vec<HostSample> = third.collect();
    assert!(third.iter().all(|it| it.span == interval && it.irq + it.softirq + it.system > Span::ZERO));
    // A Pentium II cannot fill a gigabit line: one of the two has no time left.
    assert!(third[0].busiest.max(third[1].busiest) > 0.9, "{third:?}");
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

#[test]
fn a_load_is_looked_at_often_whatever_its_interval() {
    for (interval, ms) in [(1_000, 40), (1_000, 1_500), (10, 300)] {
        let stream = StreamPlan { interval: Span::from_ms(interval), ..StreamPlan::default() };
        let load = bulk(stream, ms);
        let transfer = carried(&mut carrier(&format!("{DIRECT}[tcp]"), &[1]), &load);
        for half in [&transfer.flows[0].sender, &transfer.flows[0].receiver] {
            assert!((50..=130).contains(&half.looks.len()), "{interval} {ms}: {} looks", half.looks.len());
            assert_eq!(half.tcp.len(), half.looks.len());
            let bytes = half.looks.iter().map(|look| look.bytes).sum::<u64>();
            assert_eq!(bytes, half.bytes, "the looks have every byte");
            let ends: Vec<Span> = half.intervals.iter().map(|it| it.until).collect();
            let whole = ends.len() - 1;
            let expected = (1..=whole as u64).map(|nth| Span::from_ms(interval) * nth);
            assert_eq!(ends[..whole], expected.collect::<Vec<_>>(), "the intervals are as asked");
        }
    }
    // Of one bounded by its bytes nobody knows how long it takes.
    let stream = StreamPlan { bytes: Some(Size(20_000_000)), ..StreamPlan::default() };
    let transfer = carried(&mut carrier(&format!("{DIRECT}[tcp]"), &[1]), &bulk(stream, 1));
    let looks = transfer.flows[0].receiver.looks.len();
    assert!((50..=128).contains(&looks), "{looks}");
}
