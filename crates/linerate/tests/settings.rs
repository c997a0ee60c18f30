//! `linerate settings` and `linerate restore`: in network namespaces, so that this host keeps its own. About 10 s.

use std::fs;

use insta::assert_snapshot;
use rustix::process::Signal;

use crate::support::process::wait_for;
use crate::support::{Desk, PROGRAM, Said, guard, is_root, missing, unfolded};

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
    let words = unfolded(&said.stderr);
    assert!(words.contains("mtu@b is 1400, and was set to 1300: somebody else changed it"), "{words}");
    assert_eq!(pair.mtu(), "1400");
    assert!(desk.linerate(&["restore", "--list"]).done().stdout.contains("mtu@b was 1500"));
    let said = desk.linerate(&["restore", "--force"]).done().stdout;
    assert_eq!(said, "mtu@b is 1500 again\n");
    assert_eq!(pair.mtu(), "1500");
    assert_eq!(desk.linerate(&["restore"]).done().stdout, "nothing is to be put back\n");
}

/// An MTU below 1280 takes IPv6 from the interface: addresses, routes and parameters come back however it ends.
#[test]
fn what_a_change_takes_with_it_is_put_back_however_it_ends() {
    let desk = Desk::new();
    let Some(pair) = Pair::up(&desk, "sx") else { return };
    let shell = |script: &str| pair.run(&["sh", "-ec", script]).done().stdout;
    shell(
        "ip -6 addr add fd00:7::1/64 dev b nodad; ip -6 route add fd00:8::/64 via fd00:7::9 mtu 1300; \
         ip route add 10.77.0.0/16 dev b; echo 77 > /proc/sys/net/ipv6/conf/b/hop_limit; \
         while ip -6 addr | grep -q tentative; do sleep 0.1; done",
    );
    let state = || {
        let what = "ip addr; ip route; ip -6 route | sort; ethtool -k b; cat /proc/sys/net/ipv6/conf/b/hop_limit || :";
        shell(what)
    };
    let before = state();
    assert!(before.contains("fd00:8::/64"), "{before}");
    for (nth, signal) in
        [None, Some(Signal::TERM), Some(Signal::INT), Some(Signal::KILL)].into_iter().enumerate()
    {
        let time = if signal.is_some() { "60" } else { "0.1" };
        let mtu = format!("mtu@b={}", 700 + 100 * nth);
        let own = desk.path("command.pid").display().to_string();
        let command = format!("echo $$ > {own}; exec sleep {time}");
        let wish = [PROGRAM, "settings", "with", &mtu, "offload.sg@b=off", "--", "sh", "-c", &command];
        let arguments = pair.arguments(&wish);
        let mut holder = desk.start(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
        if let Some(signal) = signal {
            wait_for("the command", || {
                fs::read_to_string(&own).is_ok_and(|pid| pid.ends_with('\n')).then_some(())
            });
            assert!(!state().contains("fd00:7::1"), "an MTU below 1280 leaves no IPv6");
            holder.signal(signal);
            // It waits for its command, to which a terminal would have sent the signal too.
            shell(&format!("kill $(cat {own})"));
        }
        holder.wait(std::time::Duration::from_secs(20));
        fs::remove_file(&own).expect("the command made it");
        wait_for("everything as before", || (state() == before).then_some(()));
        wait_for("the end of the journal", || {
            desk.linerate(&["restore", "--list"]).stdout.starts_with("nothing").then_some(())
        });
    }
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
