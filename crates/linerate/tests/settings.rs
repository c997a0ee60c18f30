//! `linerate settings` and `linerate restore`: in network namespaces, so that this host keeps its own. About 10 s.

use insta::assert_snapshot;
use rustix::process::Signal;

use crate::support::process::wait_for;
use crate::support::{Desk, PROGRAM, Said, guard, is_root, missing};

/// A laboratory of two hosts that is taken down at the end.
pub(crate) struct Pair<'d> {
    desk: &'d Desk,
    pub(crate) name: String,
}

impl<'d> Pair<'d> {
    /// Of a name of its own, if laboratories can be made here.
    pub(crate) fn up(desk: &'d Desk, what: &str) -> Option<Self> {
        if !is_root() {
            missing("a laboratory (not root)");
            return None;
        }
        let name = format!("{what}{}", std::process::id());
        guard::at_end(&[PROGRAM, "lab", "down", "--busy", &name]);
        desk.linerate(&["lab", "up", "pair", "--name", &name]).done();
        Some(Self { desk, name })
    }

    /// The arguments that run a command on host a.
    pub(crate) fn arguments(&self, command: &[&str]) -> Vec<String> {
        let mut all = vec!["lab".to_owned(), "exec".to_owned(), format!("{}.a", self.name), "--".to_owned()];
        all.extend(command.iter().map(|word| (*word).to_owned()));
        all
    }

    pub(crate) fn run(&self, command: &[&str]) -> Said {
        let all = self.arguments(command);
        self.desk.linerate(&all.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// The MTU of its one interface.
    pub(crate) fn mtu(&self) -> String {
        self.run(&["cat", "/sys/class/net/b/mtu"]).done().stdout.trim().to_owned()
    }
}

impl Drop for Pair<'_> {
    fn drop(&mut self) {
        drop(self.desk.linerate(&["lab", "down", "--busy", &self.name]));
    }
}

#[test]
fn settings_are_listed_with_what_they_take() {
    let desk = Desk::new();
    let known = desk.linerate(&["settings", "known"]).done().stdout;
    for name in ["mtu", "ring.rx", "coalesce.rx-usecs", "qdisc", "governor", "sysctl.NAME"] {
        assert!(known.lines().any(|line| line == name), "{name} in {known}");
    }
    let listed =
        desk.linerate(&["settings", "list", "congestion-control", "sysctl.net.core.somaxconn"]).done().stdout;
    assert!(listed.contains("congestion-control") && listed.contains("one of"), "{listed}");
    assert!(listed.contains("sysctl.net.core.somaxconn"), "{listed}");
    assert_snapshot!(desk.linerate(&["settings", "list", "mtuu"]).complaint(), @r"
    failed to find a setting called mtuu: there is none; near it: mtu
    help: `linerate settings known` lists those that there are
    ");
    assert_snapshot!(desk.linerate(&["settings", "list", "sysctl.kernel.hostname"]).complaint(), @r"
    failed to find a setting called sysctl.kernel.hostname: a sysctl is net.NAME or vm.NAME
    help: `linerate settings known` lists those that there are
    ");
}

#[test]
fn what_is_set_for_a_command_is_put_back() {
    let desk = Desk::new();
    let Some(pair) = Pair::up(&desk, "sw") else { return };
    let said = pair.run(&[
        PROGRAM,
        "settings",
        "with",
        "mtu@b=1300",
        "txqueuelen@b=17",
        "--",
        "cat",
        "/sys/class/net/b/mtu",
    ]);
    assert_eq!(said.done().stdout.trim(), "1300");
    assert_eq!(pair.mtu(), "1500");
    // The status is the command's, and settings are put back after a failure too.
    assert_eq!(
        pair.run(&[PROGRAM, "settings", "with", "mtu@b=1300", "--", "sh", "-c", "exit 7"]).code,
        Some(7)
    );
    assert_eq!(pair.run(&[PROGRAM, "settings", "with", "mtu@b=1300", "--", "no-such-program"]).code, Some(2));
    // The second cannot be set: the first is put back.
    let said = pair.run(&[PROGRAM, "settings", "with", "mtu@b=1300", "mtu@b=99999999", "--", "true"]);
    assert!(said.complaint().starts_with("failed to set mtu@b to 99999999: it takes a number from 68 to"));
    assert_eq!(pair.mtu(), "1500");
    // Somebody else's change is left alone, and said.
    let said = pair.run(&[
        PROGRAM,
        "settings",
        "with",
        "mtu@b=1300",
        "--",
        "ip",
        "link",
        "set",
        "dev",
        "b",
        "mtu",
        "1400",
    ]);
    assert_eq!(said.code, Some(2), "{}", said.stderr);
    let words = said.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("mtu@b is 1400, and was set to 1300: somebody else changed it"), "{words}");
    assert_eq!(pair.mtu(), "1400");
    assert!(desk.linerate(&["restore", "--list"]).done().stdout.contains("mtu@b was 1500"));
    let said = desk.linerate(&["restore", "--force"]).done().stdout;
    assert_eq!(said, "mtu@b is 1500 again\n");
    assert_eq!(pair.mtu(), "1500");
    assert_eq!(desk.linerate(&["restore"]).done().stdout, "nothing is to be put back\n");
}

#[test]
fn what_a_killed_process_set_is_put_back_by_its_guardian() {
    let desk = Desk::new();
    let Some(pair) = Pair::up(&desk, "sk") else { return };
    let arguments = pair.arguments(&[PROGRAM, "settings", "with", "mtu@b=1300", "--", "sleep", "60"]);
    let mut holder = desk.start(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
    wait_for("the MTU", || (pair.mtu() == "1300").then_some(()));
    let said = desk.linerate(&["restore"]).done().stdout;
    assert!(
        said.starts_with(&format!("process {} holds 1 settings", holder.pid().as_raw_nonzero())),
        "{said}"
    );
    holder.signal(Signal::KILL);
    holder.wait(std::time::Duration::from_secs(5));
    wait_for("the MTU as before", || (pair.mtu() == "1500").then_some(()));
    wait_for("the end of the journal", || {
        desk.linerate(&["restore", "--list"]).stdout.starts_with("nothing").then_some(())
    });
}
