//! What held a flow back, in situations that are built: each is named right, alone and beside a process
//! that keeps a processor busy. Costs 2 to 3 s a case, and 6 s where a link is down.
//!
//! A send buffer of 16 KiB is not among them: between two namespaces it carries as much as an unlimited one.

use std::process::{Child, Command, Stdio};
use std::time::Duration;

use linerate_core::caution::Caution;
use linerate_core::kernel::limit::{Ends, Holder, Host};
use linerate_core::run::Run;
use linerate_core::units::Span;
use rstest::rstest;

use super::{ALONE, PoisonError};
use crate::support::lab::{Lab, Limit};
use crate::support::{Desk, guard};

/// A process that keeps a processor busy, until this is dropped.
pub(super) struct Burner(Child);

impl Burner {
    pub(super) fn start() -> Self {
        let (name, value) = guard::mark();
        let mut busy = Command::new("sh");
        busy.args(["-c", "while :; do :; done"]).env(name, value).stdin(Stdio::null());
        Self(busy.spawn().expect("a shell"))
    }
}

impl Drop for Burner {
    fn drop(&mut self) {
        self.0.kill().expect("it is ours");
        self.0.wait().expect("it has ended");
    }
}

/// The wire between the hosts.
#[derive(Clone, Copy, Debug)]
pub(super) enum Wire {
    /// As fast as the processors are.
    Free,
    /// 100 Mb/s with room for everything that TCP keeps under way, or for so much.
    Shaped(Option<&'static str>),
}

const SHAPED: Limit = Limit { mbps: 100, burst: "128KiB" };
pub(super) const DEEP: Wire = Wire::Shaped(None);
const SHALLOW: Wire = Wire::Shaped(Some("256KiB"));

/// Both ends of a laboratory.
const ENDS: Ends = Ends { modelled: false, on_one_host: true, on_one_processor: None };

const SENDER: Holder = Holder::Processor(Host::Sender);
const RECEIVER: Holder = Holder::Processor(Host::Receiver);
const SHARED: Holder = Holder::Processor(Host::Both);

/// A share below this is no finding: the beginning of a flow, and a few looks of some hundred.
const NEXT_TO_NOTHING: f64 = 0.1;

impl Wire {
    pub(super) fn lab(self) -> Option<Lab> {
        let lab = Lab::new(if let Self::Shaped(_) = self { Some(SHAPED) } else { None })?;
        if let Self::Shaped(Some(queue)) = self {
            lab.queue(SHAPED, queue);
        }
        Some(lab)
    }
}

#[rstest]
#[case::small_receive_buffer(Wire::Free, &["--rcvbuf", "4KiB"], Holder::ReceiverWindow)]
#[case::slow_reader(Wire::Free, &["--read-rate", "20M"], Holder::Reader)]
#[case::shaped_link(DEEP, &[], Holder::CongestionWindow)]
#[case::window_and_link(DEEP, &["--rcvbuf", "64KiB"], Holder::CongestionWindow)]
fn each_bound_is_named(
    #[case] wire: Wire,
    #[case] options: &[&str],
    #[case] expected: Holder,
    #[values(false, true)] crowded: bool,
) {
    is_named(wire, options, &[expected], crowded);
}

#[rstest]
#[case::shallow_queue(SHALLOW, &["--congestion", "cubic"], Holder::CongestionWindow)]
#[case::shallow_queue_with_reno(SHALLOW, &["--congestion", "reno"], Holder::CongestionWindow)]
#[case::deep_queue(DEEP, &["--congestion", "cubic"], Holder::CongestionWindow)]
#[case::pace_above_the_link(DEEP, &["--rate", "200M"], Holder::CongestionWindow)]
#[case::slow_reader_behind_a_link(DEEP, &["--read-rate", "20M"], Holder::Reader)]
#[case::small_send_buffer(Wire::Free, &["--sndbuf", "4KiB"], Holder::SendBuffer)]
#[case::quick_slow_reader(Wire::Free, &["--read-rate", "200M"], Holder::Reader)]
#[case::receive_buffer_of_some_segments(Wire::Free, &["--rcvbuf", "16KiB"], Holder::ReceiverWindow)]
#[ignore = "wants a quiet host; ./check full runs it"]
fn each_of_these_is_named_too(
    #[case] wire: Wire,
    #[case] options: &[&str],
    #[case] expected: Holder,
    #[values(false, true)] crowded: bool,
) {
    is_named(wire, options, &[expected], crowded);
}

/// Nothing but the processors holds back what crosses a wire in memory.
#[rstest]
#[case::one_shared_processor(&["--pin", "0,0"], &[SHARED])]
#[case::a_processor_each(&["--pin", "0,1"], &[SENDER, RECEIVER])]
#[case::where_the_scheduler_puts_them(&[], &[SENDER, RECEIVER, SHARED])]
#[ignore = "wants a quiet host; ./check full runs it"]
fn a_processor_is_named(
    #[case] options: &[&str],
    #[case] expected: &[Holder],
    #[values(false, true)] crowded: bool,
) {
    // A burner takes up to half of a processor from the end that is there.
    let others: &[Holder] = if crowded { &[Holder::Others] } else { &[] };
    is_named(Wire::Free, options, &[expected, others].concat(), crowded);
}

/// Twice as many programs as processors leave each end less than half of one.
#[test]
#[ignore = "wants a host without other load; ./check full runs it"]
fn other_programs_are_named() {
    let processors = std::thread::available_parallelism().map_or(2, usize::from);
    let burners: Vec<Burner> = (0..2 * processors).map(|_| Burner::start()).collect();
    is_named(Wire::Free, &[], &[Holder::Others], false);
    drop(burners);
}

#[rstest]
#[ignore = "wants a quiet host; ./check full runs it"]
fn a_pace_that_is_kept_is_named(#[values(false, true)] crowded: bool) {
    let Some((_, said)) = stream(Wire::Free, &["--rate", "50M"], crowded) else { return };
    assert!(said.contains("held back   by the pace that was asked"), "{said}");
}

#[rstest]
#[ignore = "wants a quiet host; ./check full runs it"]
fn nagles_algorithm_is_named_and_its_absence_is_not(
    #[values(false, true)] off: bool,
    #[values(false, true)] crowded: bool,
) {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(lab) = Wire::Free.lab() else { return };
    let desk = Desk::new();
    let server = lab.serve(&desk);
    let _burner = crowded.then(Burner::start);
    let asked = ["rr", &server.address, "--time", "1500ms", "--depth", "4"];
    let nodelay = ["--nodelay", if off { "off" } else { "on" }, "--out", "x.run.json", "--no-report"];
    let said = lab.linerate(&desk, &[&asked[..], &nodelay].concat());
    let run = desk.run_file("x.run.json");
    let named = run.cautions.iter().any(|caution| matches!(caution, Caution::Nagle { .. }));
    assert_eq!(named, off, "{}", said.stdout);
    no_link_was_down(&run);
}

#[rstest]
#[ignore = "takes 6 s; ./check full runs it"]
fn a_link_that_is_down_is_named(#[values(false, true)] crowded: bool) {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(lab) = DEEP.lab() else { return };
    let desk = Desk::new();
    let server = lab.serve(&desk);
    let _burner = crowded.then(Burner::start);
    let asked = ["stream", &server.address, "--time", "4s", "--stall", "9s", "--interval", "200ms"];
    let files = ["--out", "x.run.json", "--no-report"];
    let running = lab.start(&desk, &[&asked[..], &files].concat());
    running.stdout.until(|line| line.contains(", cwnd "));
    lab.plug(false);
    // The outage that is to be seen; nothing tells when it has been long enough but the clock.
    std::thread::sleep(Duration::from_millis(2_200));
    lab.plug(true);
    let said = running.finish().stdout;
    let (run, down) = (desk.run_file("x.run.json"), Span::from_ms(2_200));
    assert!(said.contains("held back   by the link being down"), "{said}");
    let told = run.cautions.iter().filter_map(|caution| match caution {
        Caution::LinkDown { down, .. } => Some(*down),
        _ => None,
    });
    // Both ends saw it, from the first look at which nothing moved to the last.
    let told: Vec<Span> = told.collect();
    let true_to_it = |told: &Span| (Span::from_ms(1_800)..Span::from_ms(2_500)).contains(told);
    assert!(told.len() == 2 && told.iter().all(true_to_it), "{told:?} is not {down}");
}

/// Streams over `wire` for 1.5 s; the run, and what the user reads.
fn stream(wire: Wire, options: &[&str], crowded: bool) -> Option<(Run, String)> {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let lab = wire.lab()?;
    let desk = Desk::new();
    let server = lab.serve(&desk);
    let _burner = crowded.then(Burner::start);
    // The kernel misses many a full buffer; samples show them, where there are enough.
    let asked = ["stream", &server.address, "--time", "1500ms", "--interval", "50ms"];
    let files = ["--out", "x.run.json", "--report", "x.html"];
    let said = lab.linerate(&desk, &[&asked, options, &files].concat()).done();
    Some((desk.run_file("x.run.json"), said.stdout))
}

/// One of `expected` is what the user reads, and nothing else has more than a trace of the time but what
/// every flow waits for now and then.
fn is_named(wire: Wire, options: &[&str], expected: &[Holder], crowded: bool) {
    let Some((run, said)) = stream(wire, options, crowded) else { return };
    let [transfer] = &run.transfers[..] else { panic!("one load was asked for") };
    let verdict = transfer.holders(&transfer.flows[0], run.payload_link(), ENDS).expect("the kernel counts");
    println!("{verdict}");
    assert!(expected.contains(&verdict.winner), "{verdict}\n{said}");
    assert!(said.contains(&format!("held back   by the {}", verdict.winner)), "{said}");
    for wrong in wrong_beside(expected[0]) {
        assert!(verdict.shares.of(*wrong) < NEXT_TO_NOTHING, "the {wrong}: {verdict}\n{said}");
    }
    no_link_was_down(&run);
}

/// What has no part in a situation that this holds back.
fn wrong_beside(expected: Holder) -> &'static [Holder] {
    match expected {
        Holder::SendBuffer => &[Holder::ReceiverWindow, Holder::Reader],
        Holder::ReceiverWindow => &[Holder::SendBuffer, Holder::Reader],
        // The window may close before half of the buffer is unread: 17 % were seen beside a busy process.
        Holder::Reader => &[SENDER, RECEIVER, Holder::SendBuffer],
        Holder::CongestionWindow => {
            &[SENDER, RECEIVER, Holder::SendBuffer, Holder::ReceiverWindow, Holder::Reader]
        }
        _ => &[Holder::CongestionWindow],
    }
}

fn no_link_was_down(run: &Run) {
    let down = |caution: &Caution| matches!(caution, Caution::LinkDown { .. });
    assert!(!run.cautions.iter().any(down), "{:?}", run.cautions);
}
