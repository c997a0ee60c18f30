//! What held a flow back, in situations that are built: each is named right, also beside a process
//! that keeps a processor busy. Costs 2 s a case.
//!
//! A small send buffer beside such a process is not among them: between two namespaces a writer that
//! is woken later than the wire is empty is as much in the way as its buffer, and either may win.

use std::process::{Child, Command, Stdio};

use linerate_core::kernel::limit::Holder;
use rstest::rstest;

use super::{ALONE, PoisonError};
use crate::support::Desk;
use crate::support::lab::{Lab, Limit};

/// A process that keeps a processor busy, until this is dropped.
struct Burner(Child);

impl Burner {
    fn start() -> Self {
        // It ends by itself where the test is killed.
        let mut busy = Command::new("timeout");
        busy.args(["60", "sh", "-c", "while :; do :; done"]).stdin(Stdio::null());
        Self(busy.spawn().expect("coreutils and a shell"))
    }
}

impl Drop for Burner {
    fn drop(&mut self) {
        // `timeout` hands this on; a kill would leave the shell behind.
        let timeout = rustix::process::Pid::from_child(&self.0);
        rustix::process::kill_process(timeout, rustix::process::Signal::TERM).unwrap_or(());
        self.0.wait().expect("it has ended");
    }
}

const SHAPED: Option<Limit> = Some(Limit { mbps: 100, burst: "128kb" });

/// It had 64 to 87 % of the time on a quiet host.
#[test]
#[ignore = "wants a quiet host; ./check full runs it"]
fn a_small_send_buffer_is_named() {
    is_named(None, &["--sndbuf", "4KiB"], Holder::SendBuffer, false);
}

#[rstest]
#[case::small_receive_buffer(None, &["--rcvbuf", "4KiB"], Holder::ReceiverWindow)]
#[case::shaped_link(SHAPED, &[], Holder::CongestionWindow)]
#[case::shaped_link_with_cubic(SHAPED, &["--congestion", "cubic"], Holder::CongestionWindow)]
#[case::pace_above_the_link(SHAPED, &["--rate", "200M"], Holder::CongestionWindow)]
fn each_bound_is_named(
    #[case] limit: Option<Limit>,
    #[case] options: &[&str],
    #[case] expected: Holder,
    #[values(false, true)] crowded: bool,
) {
    is_named(limit, options, expected, crowded);
}

fn is_named(limit: Option<Limit>, options: &[&str], expected: Holder, crowded: bool) {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(lab) = Lab::new(limit) else { return };
    let desk = Desk::new();
    let server = lab.serve(&desk);
    let _burner = crowded.then(Burner::start);
    // The kernel misses many a full buffer; samples show them, where there are enough.
    let asked = ["stream", &server.address, "--time", "1500ms", "--interval", "50ms"];
    let files = ["--out", "x.run.json", "--report", "x.html"];
    let said = lab.linerate(&desk, &[&asked, options, &files].concat()).done();
    let run = desk.run_file("x.run.json");
    let [transfer] = &run.transfers[..] else { panic!("one load was asked for") };
    // The speed of a virtual wire is nobody's.
    let verdict = transfer.holders(&transfer.flows[0], None).expect("the kernel counts");
    println!("{verdict}");
    assert_eq!(verdict.winner, expected, "{verdict}\n{}", said.stdout);
}
