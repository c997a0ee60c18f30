//! Latencies as a log that the tools for `HdrHistogram` read.

use std::time::{Duration, UNIX_EPOCH};

use hdrhistogram::serialization::V2DeflateSerializer;
use hdrhistogram::serialization::interval_log::{IntervalLogWriterBuilder, Tag};

use super::{Latency, Transfer};
use crate::generator::GENERATOR;

/// What the greatest time of an interval is divided by, so that it reads as milliseconds: as the
/// Java writer does.
const MAX_DIVISOR: f64 = 1e6;
/// The latencies of `transfers`, one after the other, as a log in the interval format 1.3 of
/// `HdrHistogram`: a line for each phase and kind of time, tagged `idle.service`,
/// `loaded-send.response` and so on, of all flows together. Times are in nanoseconds, as the tools
/// expect; `start` is when the first phase began, since 1970.
///
/// The phases follow each other without the pauses that there were between them.
/// Source: `HistogramLogWriter` of `HdrHistogram`, whose first line names the format.
#[must_use]
pub fn hdr_log(start: Duration, transfers: &[Transfer]) -> String {
    let written = "a Vec takes every byte";
    let mut text = Vec::new();
    let mut serializer = V2DeflateSerializer::new();
    let mut log = IntervalLogWriterBuilder::new()
        .add_comment("[Histogram log format version 1.3]")
        .add_comment(&format!("[Logged with {GENERATOR}]"))
        .with_start_time(UNIX_EPOCH + start)
        .with_max_value_divisor(MAX_DIVISOR)
        .begin_log_with(&mut text, &mut serializer)
        .expect(written);
    let mut begin = Duration::ZERO;
    for transfer in transfers.iter().filter(|transfer| !transfer.latencies.is_empty()) {
        let whole = Latency::together(&transfer.latencies);
        let span = whole.span.to_duration();
        let kinds = [("service", whole.service), ("response", whole.response), ("connect", whole.connect)];
        for (kind, times) in kinds.iter().filter(|(_, times)| times.count() > 0) {
            let tag = tag(transfer, kind);
            log.write_histogram(&times.in_nanoseconds(), begin, span, Tag::new(&tag)).expect(written);
        }
        begin += span;
    }
    String::from_utf8(text).expect("numbers, tags and base64")
}

/// The phase, the row's label if it has one, and the kind of time, without what a tag may not have.
fn tag(transfer: &Transfer, kind: &str) -> String {
    let label: String = transfer.label.split([' ', ',', '\r', '\n']).collect::<Vec<_>>().join(";");
    let label = if label.is_empty() { label } else { format!("{label}.") };
    format!("{label}{}.{kind}", transfer.load.phase())
}

#[cfg(test)]
mod tests {
    use hdrhistogram::serialization::Deserializer;
    use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry};

    use super::*;
    use crate::plan::{Direction, Load, Phase, RrPlan, StreamPlan};
    use crate::units::Span;

    fn transfer(phase: Phase, us: u64) -> Transfer {
        let flow = |flow| {
            let mut latency = Latency { flow, span: Span::from_ms(1_500), ..Latency::default() };
            for step in 1..=1_000 {
                latency.service.record(Span::from_us(us * step));
                latency.response.record(Span::from_us(us * step * 2));
            }
            latency
        };
        let stream = match phase {
            Phase::Idle => None,
            Phase::Loaded(direction) => Some(StreamPlan { direction, ..StreamPlan::default() }),
        };
        let load = Load { stream, rr: Some(RrPlan::default()), ..Load::default() };
        Transfer { load, latencies: vec![flow(0), flow(1)], ..Transfer::default() }
    }

    #[test]
    fn what_is_written_reads_back_with_its_tags_and_times() {
        let transfers =
            [transfer(Phase::Idle, 1), transfer(Phase::Loaded(Direction::Send), 10), Transfer::default()];
        let text = hdr_log(Duration::from_millis(1_700_000_000_500), &transfers);
        let head: Vec<_> = text.lines().take(4).collect();
        assert_eq!(
            head,
            [
                "#[Histogram log format version 1.3]",
                &*format!("#[Logged with {GENERATOR}]"),
                "#[StartTime: 1700000000.500 (seconds since epoch)]",
                "#[MaxValueDivisor: 1000000.000]",
            ]
        );
        let mut read = Vec::new();
        for entry in IntervalLogIterator::new(text.as_bytes()) {
            let LogEntry::Interval(line) = entry.expect("every line is understood") else { continue };
            let bytes =
                base64::Engine::decode(&base64::engine::general_purpose::STANDARD, line.encoded_histogram());
            let bytes = bytes.expect("base64");
            let times: hdrhistogram::Histogram<u64> =
                Deserializer::new().deserialize(&mut bytes.as_slice()).expect("a histogram");
            assert_eq!(times.len(), 2_000);
            let tag = line.tag().expect("a tag").to_string();
            read.push((tag, line.start_timestamp(), times.value_at_quantile(0.5), line.max()));
        }
        let expected: [(&str, u64, u64); 4] = [
            ("idle.service", 0, 500_000),
            ("idle.response", 0, 1_000_000),
            ("loaded-send.service", 1_500, 5_000_000),
            ("loaded-send.response", 1_500, 10_000_000),
        ];
        assert_eq!(read.len(), expected.len());
        for ((tag, begin, median, max), (name, begins, ns)) in read.iter().zip(expected) {
            assert_eq!((tag.as_str(), *begin), (name, Duration::from_millis(begins)));
            assert!((*median as f64 / ns as f64 - 1.0).abs() < 2e-3, "{tag}: {median} ns, not {ns}");
            assert!((max / (2.0 * ns as f64 / MAX_DIVISOR) - 1.0).abs() < 2e-3, "{tag}: {max} ms");
        }
    }

    #[test]
    fn the_compressed_form_is_the_one_that_the_tools_read() {
        let text = hdr_log(Duration::ZERO, &[transfer(Phase::Idle, 1)]);
        let line = text.lines().nth(4).expect("a line");
        assert!(line.starts_with("Tag=idle.service,0.000,1.500,1.000,HISTFAAA"), "{line}");
    }

    #[test]
    fn a_label_never_breaks_the_line() {
        let labelled = Transfer { label: "rcvbuf=1 message=2,x".to_owned(), ..transfer(Phase::Idle, 1) };
        let text = hdr_log(Duration::ZERO, &[labelled]);
        assert!(text.contains("\nTag=rcvbuf=1;message=2;x.idle.service,0.000,"), "{text}");
    }
}
