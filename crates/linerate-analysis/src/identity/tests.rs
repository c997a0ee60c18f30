use super::*;
use linerate_core::plan::Plan;

fn run() -> Run {
    let mut run = Run::new(Source::Measured, Plan::default());
    for (node, host) in run.nodes.iter_mut().zip(["alpha", "beta"]) {
        let interface = Interface {
            name: "eth0".to_owned(),
            driver: Fact::Known("ixgbe".to_owned()),
            bus: Fact::Known("0000:01:00.0".to_owned()),
            speed_mbps: Fact::Known(10_000),
            mtu: Fact::Known(1500),
            ..Interface::default()
        };
        node.environment = Environment {
            hostname: Fact::Known(host.to_owned()),
            machine: Fact::Known(format!("id of {host}")),
            kernel: Fact::Known("Linux 6.12.1".to_owned()),
            cpu_model: Fact::Known("Model 7".to_owned()),
            cpus: Fact::Known(vec![0, 1]),
            memory_bytes: Fact::Known(1 << 34),
            interface: Fact::Known(interface),
            ..Environment::default()
        };
    }
    run
}

fn with(change: impl FnOnce(&mut Run)) -> Run {
    let mut run = run();
    change(&mut run);
    run
}

fn interface(run: &mut Run) -> &mut Interface {
    let Fact::Known(interface) = &mut run.nodes[0].environment.interface else { panic!("it is known") };
    interface
}

#[test]
fn what_may_vary_leaves_the_path_its_name() {
    let path = Fingerprint::of(&run());
    assert_eq!(path.name, "alpha to beta, tcp, 10.00 Gb/s, measure");
    for (what, other) in [
        ("kernel", with(|run| run.nodes[0].environment.kernel = Fact::Known("Linux 6.13".to_owned()))),
        ("driver", with(|run| interface(run).driver = Fact::Known("ice".to_owned()))),
        ("MTU", with(|run| interface(run).mtu = Fact::Known(9000))),
        ("host name", with(|run| run.nodes[1].environment.hostname = Fact::Known("gamma".to_owned()))),
        ("buffers", with(|run| run.plan.common.socket.sndbuf = Some(linerate_core::units::Size(1 << 20)))),
        ("labels", with(|run| drop(run.labels.insert("cable".to_owned(), "new".to_owned())))),
        (
            "time and seed",
            with(|run| (run.plan.common.time, run.plan.common.seed) = (run.plan.common.time * 2, 9)),
        ),
        ("address", with(|run| run.plan.common.host = Some("10.0.0.1".to_owned()))),
    ] {
        assert_eq!(Fingerprint::of(&other).hash, path.hash, "{what}");
    }
}

#[test]
fn another_machine_link_or_question_is_another_path() {
    let path = Fingerprint::of(&run());
    for (what, other) in [
        ("machine", with(|run| run.nodes[0].environment.machine = Fact::Known("another".to_owned()))),
        ("CPU", with(|run| run.nodes[0].environment.cpu_model = Fact::Known("Model 8".to_owned()))),
        ("slot", with(|run| interface(run).bus = Fact::Known("0000:02:00.0".to_owned()))),
        (
            "link",
            with(|run| {
                run.nodes.iter_mut().for_each(|node| {
                    let Fact::Known(interface) = &mut node.environment.interface else {
                        panic!("it is known")
                    };
                    interface.speed_mbps = Fact::Known(1000);
                });
            }),
        ),
        ("transport", with(|run| run.plan.common.transport = linerate_core::transport::Transport::Udp)),
        (
            "task",
            with(|run| {
                run.plan.task = linerate_core::plan::Task::Requests(linerate_core::plan::RrPlan::default());
            }),
        ),
    ] {
        assert_ne!(Fingerprint::of(&other).hash, path.hash, "{what}");
    }
}

#[test]
fn without_the_identity_of_a_machine_its_name_has_to_serve() {
    let nameless = |host: &str| {
        with(|run| {
            run.nodes[0].environment.machine = Fact::default();
            run.nodes[0].environment.hostname = Fact::Known(host.to_owned());
        })
    };
    assert_ne!(Fingerprint::of(&nameless("alpha")).hash, Fingerprint::of(&nameless("gamma")).hash);
}

#[test]
fn every_field_has_a_name_of_its_own() {
    let fields = fields(&run());
    let names: std::collections::BTreeSet<&str> = fields.iter().map(|field| field.name.as_str()).collect();
    assert_eq!(names.len(), fields.len(), "{fields:?}");
}

#[test]
fn what_differs_in_every_run_stands_before_what_varies() {
    let old = run();
    let kernel = |text: &str, mtu: u64| {
        with(|run| {
            run.nodes[0].environment.kernel = Fact::Known(text.to_owned());
            interface(run).mtu = Fact::Known(mtu);
        })
    };
    let new = [kernel("Linux 6.13", 1500), kernel("Linux 6.13", 9000)];
    let found = differences(&[fields(&old)], &new.each_ref().map(fields));
    let names: Vec<(&str, bool)> =
        found.iter().map(|difference| (difference.name.as_str(), difference.is_clear())).collect();
    assert_eq!(names, [("initiator kernel", true), ("initiator MTU", false)]);
    assert_eq!(found[0].values, [vec!["Linux 6.12.1".to_owned()], vec!["Linux 6.13".to_owned()]]);
    assert!(differences(&[fields(&old)], &[fields(&old), fields(&old)]).is_empty());
}

#[test]
fn what_one_side_does_not_know_may_be_the_same() {
    let unread = with(|run| run.nodes[0].environment.kernel = Fact::default());
    let [found] = &differences(&[fields(&unread)], &[fields(&run())])[..] else { panic!("the kernel alone") };
    assert_eq!((found.name.as_str(), found.is_clear()), ("initiator kernel", false));
    assert_eq!(found.values[0], [""; 0]);
}
