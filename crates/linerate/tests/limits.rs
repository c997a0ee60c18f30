//! What a host does not allow is named, and not taken for something else.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

use linerate_core::caution::{Caution, Side};
use linerate_core::units::Span;
use linerate_net::lab::{HERE, WIRE};

use crate::support::lab::Lab;
use crate::support::server::Server;
use crate::support::{Desk, PROGRAM, has, output_of};

/// Another number in each run of the tests, which they print.
fn seed() -> u32 {
    let seed = std::process::id().wrapping_mul(2_654_435_761);
    eprintln!("seed {seed}");
    seed
}

/// Uses a processor, and ends by itself if nobody ends it.
const BURN: &str = "i=0; while [ $((i += 1)) -lt 50000000 ]; do :; done";

/// A control group with a CPU quota, and a process in it that uses the quota up, however little other work leaves to the
/// others in it. Both are gone when this is dropped.
struct Quota {
    folder: PathBuf,
    burner: Option<Child>,
}

impl Quota {
    /// Makes one that may use `quota_us` of each `period_us`. None, with a word, where the rights or the controller
    /// are missing.
    fn new(quota_us: u32, period_us: u32) -> Option<Self> {
        let made = ["/sys/fs/cgroup/cpu", "/sys/fs/cgroup"].iter().find_map(|root| {
            let folder = Path::new(root).join(format!("linerate-test-{}", std::process::id()));
            fs::create_dir(&folder).ok()?;
            let mut group = Self { folder, burner: None };
            let write = |name: &str, text: String| fs::write(group.folder.join(name), text).ok();
            let old = group.folder.join("cpu.cfs_quota_us").exists();
            if old {
                write("cpu.cfs_period_us", period_us.to_string())?;
                write("cpu.cfs_quota_us", quota_us.to_string())?;
            } else {
                write("cpu.max", format!("{quota_us} {period_us}"))?;
            }
            let burner = group.holds(Command::new("sh").args(["-c", BURN]).current_dir("/")).spawn();
            group.burner = Some(burner.expect("sh starts"));
            Some(group)
        });
        if made.is_none() {
            // A right that the host gives or does not, and no component that could be installed.
            eprintln!("skipped: this host gives no right to set a CPU quota (the cpu controller of cgroups)");
        }
        made
    }

    /// For how long the kernel stopped the group's processes, by its own account.
    fn stopped(&self) -> Span {
        let stat = fs::read_to_string(self.folder.join("cpu.stat")).expect("the group is there");
        let count = |name: &str| {
            let line = stat.lines().find_map(|line| line.strip_prefix(name));
            line.map(|count| count.trim().parse::<u64>().expect("it is a number"))
        };
        let us = count("throttled_usec ").map(Span::from_us);
        us.or_else(|| count("throttled_time ").map(Span::from_ns)).expect("the group has a quota")
    }

    /// `command`, in the group from its start.
    fn holds(&self, command: &Command) -> Command {
        let group = self.folder.join("cgroup.procs");
        let group = group.to_str().expect("it is text");
        through(&["sh", "-c", "echo $$ > \"$0\" && exec \"$@\"", group], command)
    }
}

impl Drop for Quota {
    fn drop(&mut self) {
        if let Some(burner) = &mut self.burner {
            burner.kill().and_then(|()| burner.wait()).expect("it ends");
        }
        fs::remove_dir(&self.folder).unwrap_or(());
    }
}

#[test]
fn a_cpu_quota_is_named_at_either_end_and_is_not_other_work() {
    let seed = seed();
    eprintln!("seed {seed}");
    // 10 to 30 % of a processor, which no transfer at full speed keeps within.
    let quota_us = 10_000 + seed % 20_000;
    let Some(quota) = Quota::new(quota_us, 100_000) else { return };
    let desk = Desk::new();
    for side in [Side::Local, Side::Remote] {
        let before = quota.stopped();
        let serve = desk.command(PROGRAM, &["serve", "--open", "--listen", "127.0.0.1:0"]);
        let server = Server::from(if side == Side::Remote { quota.holds(&serve) } else { serve });
        let arguments = ["stream", &server.address, "--time", "1500ms", "--out", "x.run.json", "--force"];
        let stream = desk.command(PROGRAM, &arguments);
        let said = desk.finish(if side == Side::Local { quota.holds(&stream) } else { stream }).done();
        let stopped = quota.stopped() - before;
        let run = desk.run_file("x.run.json");
        let end = if side == Side::Local { run.local() } else { run.remote() };
        let noise = end.observation.noise.known().expect("it was watched");
        // The rest went to other work, which a busy machine has.
        assert!(noise.throttled <= noise.lost && noise.throttled <= stopped, "{noise:?} of {stopped}");
        let other = run
            .cautions
            .iter()
            .any(|caution| matches!(caution, Caution::Throttled { side: at, .. } if *at != side));
        assert!(!other, "{:?}", run.cautions);
        let named = run.cautions.iter().find_map(|caution| match caution {
            Caution::Throttled { side: at, quota, period, share, .. } if *at == side => {
                Some((*quota, *period, *share))
            }
            _ => None,
        });
        let Some((named, period, share)) = named else { panic!("{:?}", run.cautions) };
        assert_eq!((named, period), (Span::from_us(quota_us.into()), Span::from_ms(100)));
        assert!(share > 0.01 && share <= 1.0, "{share}");
        assert!(said.stdout.contains("CPU quota"), "{}", said.stdout);
    }
}

/// Runs a program that may not pin its threads: the arguments are `COMMAND ARGS..`.
const UNPINNED: &str = "
import ctypes, os, platform, struct, sys
call = {'x86_64': 203, 'aarch64': 122}[platform.machine()]
code = [(0x20, 0, 0, 0), (0x15, 0, 1, call), (0x06, 0, 0, 0x00050001), (0x06, 0, 0, 0x7fff0000)]
program = ctypes.create_string_buffer(b''.join(struct.pack('HBBI', *one) for one in code))
class Filter(ctypes.Structure):
    _fields_ = [('length', ctypes.c_ushort), ('program', ctypes.c_void_p)]
libc = ctypes.CDLL(None, use_errno=True)
assert libc.prctl(38, 1, 0, 0, 0) == 0
filter = Filter(len(code), ctypes.addressof(program))
assert libc.prctl(22, 2, ctypes.byref(filter), 0, 0) == 0
os.execvp(sys.argv[1], sys.argv[1:])
";

/// `command`, started as `through` starts its arguments.
fn through(through: &[&str], command: &Command) -> Command {
    let mut outer = Command::new(through[0]);
    outer.args(&through[1..]).arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => outer.env(name, value),
            None => outer.env_remove(name),
        };
    }
    outer.current_dir(command.get_current_dir().expect("it has a desk"));
    outer
}

/// The verbs whose help knows `flag`.
fn verbs_with(desk: &Desk, flag: &str) -> Vec<String> {
    let all = desk.linerate(&["-h"]).done().stdout;
    let verbs = all.lines().filter_map(|line| line.strip_prefix("  ")?.split_whitespace().next());
    let verbs = verbs.filter(|verb| verb.chars().all(|c| c.is_ascii_lowercase()) && *verb != "linerate");
    let knows = |verb: &&str| {
        let said = desk.linerate(&[verb, "--help"]);
        said.code == Some(0) && said.stdout.lines().any(|line| line.trim().starts_with(flag))
    };
    verbs.filter(knows).map(str::to_owned).collect()
}

#[test]
fn every_verb_refuses_a_processor_that_it_cannot_have_at_either_end() {
    let desk = Desk::new();
    let verbs = verbs_with(&desk, "--pin ");
    assert!(["measure", "stream", "rr"].iter().all(|verb| verbs.iter().any(|it| it == verb)), "{verbs:?}");
    let denied = has("python3").then_some(["python3", "-c", UNPINNED]);
    let serve = || desk.command(PROGRAM, &["serve", "--open", "--listen", "127.0.0.1:0"]);
    let server = Server::from(serve());
    let bound = denied.map(|denied| Server::from(through(&denied, &serve())));
    for verb in &verbs {
        for pin in ["1023,", ",1023"] {
            let said = desk.linerate(&[verb, &server.address, "--time", "1s", "--pin", pin]);
            let complaint = said.complaint();
            assert!(complaint.contains("1023") && complaint.contains("--pin"), "{verb} {pin}: {complaint}");
        }
        let Some((denied, bound)) = denied.zip(bound.as_ref()) else { continue };
        let here = desk.command(PROGRAM, &[verb, &server.address, "--time", "1s", "--pin", "0,"]);
        let there = desk.command(PROGRAM, &[verb, &bound.address, "--time", "1s", "--pin", ",0"]);
        for command in [through(&denied, &here), there] {
            let complaint = desk.finish(command).complaint();
            assert!(
                complaint.contains("sched_setaffinity") && complaint.contains("--pin"),
                "{verb}: {complaint}"
            );
        }
    }
}

#[test]
fn a_path_too_narrow_for_quic_is_named_with_its_mtu() {
    let Some(lab) = Lab::new(None) else { return };
    let mtu = 600 + seed() % 600;
    lab.0.set_mtu(mtu).expect("a veth takes it");
    let desk = Desk::new();
    let server = lab.serve(&desk);
    for verb in ["measure", "stream", "rr"] {
        let arguments = [verb, &server.address, "--transport", "quic", "--time", "1s"];
        let complaint = lab.linerate(&desk, &arguments).fails(2).stderr;
        let named = complaint.contains("1200 B") && complaint.contains(&format!("an MTU of {mtu} B"));
        assert!(named, "{verb}: {complaint}");
    }
}

#[test]
fn too_few_files_are_foreseen_at_either_end() {
    let (limit, flows) = ((40 + seed() % 30).to_string(), (16 + seed() % 99).to_string());
    let limited = ["sh", "-c", "ulimit -n \"$0\" && exec \"$@\"", &limit];
    let desk = Desk::new();
    let serve = || desk.command(PROGRAM, &["serve", "--open", "--listen", "127.0.0.1:0"]);
    let (server, narrow) = (Server::from(serve()), Server::from(through(&limited, &serve())));
    for verb in ["stream", "rr"] {
        let flood =
            |at: &Server| desk.command(PROGRAM, &[verb, &at.address, "--flows", &flows, "--time", "1s"]);
        for command in [through(&limited, &flood(&server)), flood(&narrow)] {
            let complaint = desk.finish(command).complaint();
            let words = ["too many open files", &format!("the limit is {limit}"), "ulimit -n"];
            assert!(words.iter().all(|word| complaint.contains(word)), "{verb}: {complaint}");
        }
    }
}

#[test]
fn a_client_that_vanished_is_named_and_gives_its_slot_up() {
    let Some(lab) = Lab::new(None) else { return };
    let desk = Desk::new();
    let server = lab.serve(&desk);
    let arguments = ["stream", &server.address, "--time", "9min", "--out", "x.run.json"];
    let lost = lab.0.here(|| desk.start(&arguments)).expect("entered");
    desk.under_way(&lost);
    // Its host no longer has the address: what the server sends it is dropped, and nothing comes back.
    lab.0.here(|| output_of("ip", &["address", "flush", "dev", WIRE])).expect("entered");
    let arguments = ["stream", &server.address, "--time", "100ms", "--out", "y.run.json"];
    let next = lab.0.there(|| desk.linerate(&arguments)).expect("entered").done();
    let waits: Vec<&str> = next.stderr.lines().filter(|line| line.contains("place 1 in the queue")).collect();
    let holder = format!("it has served {HERE} for");
    assert!(matches!(waits[..], [line] if line.contains(&holder)), "{waits:?}");
}
