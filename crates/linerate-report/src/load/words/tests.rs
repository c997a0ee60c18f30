use linerate_core::units::Span;
use linerate_sim::fabric::MacCounters;
use toml::Value;

use super::super::fixture;
use super::*;

/// The words of a study of this plan, in which these keys are swept.
fn words(plan: &str, keys: &[&str]) -> [String; 2] {
    let mut study = fixture::single();
    study.plans[0].plan = ModelPlan::from_toml(plan).unwrap_or_else(|error| panic!("{plan}: {error}"));
    study.keys = keys.iter().map(|key| (*key).to_owned()).collect();
    let [[_, network], [_, load]] = &described(&study)[..] else { panic!("two facts") };
    [network.clone(), load.clone()]
}

fn network(plan: &str) -> String {
    let [network, _] = words(&format!("[network]\n{plan}"), &[]);
    network
}

fn load(plan: &str) -> String {
    let [_, load] = words(
        &format!("[network]\nmedium = 'ethernet'\nstations = 4\ntopology = 'switch'\n[load]\n{plan}"),
        &[],
    );
    load
}

#[test]
fn a_network_is_told_by_what_connects_its_stations() {
    for (plan, text) in [
        (
            "medium = 'ethernet'\nstations = 2\ntopology = 'direct'\nlength-m = 5.0",
            "2 stations, Ethernet: back to back, 1000BASE-T, full duplex, cables of 5 m",
        ),
        (
            "medium = 'ethernet'\nstations = 3\ntopology = 'hub'\nphy = '10BASE-T'\nlength-m = 100.0",
            "3 stations, Ethernet: one hub, 10BASE-T, half duplex, cables of 100 m",
        ),
        (
            "medium = 'ethernet'\nstations = 3\ntopology = 'switch'\nduplex = 'auto'\nlength-m = 5.0\npause = 'symmetric'",
            "3 stations, Ethernet: one switch, 1000BASE-T, duplex negotiated, cables of 5 m, PAUSE both ways",
        ),
        (
            "medium = 'ethernet'\nstations = 3\ntopology = 'switch'\nlinks = 2\nlength-m = 5.0",
            "3 stations, Ethernet: 2 links of each station, to 2 switches, 1000BASE-T, full duplex, cables of 5 m",
        ),
        (
            "medium = 'ethernet'\nstations = 3\ntopology = 'distributor'\nlength-m = 5.0\npause = 'asymmetric'",
            "3 stations, Ethernet: one full-duplex repeater, 1000BASE-T, full duplex, cables of 5 m, PAUSE from relays",
        ),
    ] {
        assert_eq!(network(plan), text);
    }
    let line = network("medium = 'ethernet'\nstations = 4\ntopology = 'line'\nrelays = 3");
    assert!(line.contains("Ethernet: 3 switches in a line, "), "{line}");
    for (plan, start) in [
        ("medium = 'atm'\nstations = 2", "2 stations, ATM: OC-3c, "),
        ("medium = 'fddi'\nstations = 5", "5 stations, FDDI: token rotation "),
        ("medium = 'fibre-channel'\ncredits = 1", "2 stations, Fibre Channel: "),
        ("medium = 'myrinet'", "2 stations, Myrinet: "),
    ] {
        assert!(network(plan).starts_with(start), "{}", network(plan));
    }
    assert!(network("medium = 'fibre-channel'\ncredits = 1").ends_with(", one credit"));
}

#[test]
fn what_is_swept_is_not_told_as_if_it_were_fixed() {
    let plan = "[network]\nmedium = 'ethernet'\ntopology = 'switch'\npause = 'symmetric'";
    let keys =
        ["stations", "topology", "phy", "duplex", "length-m", "pause"].map(|key| format!("network.{key}"));
    let [network, _] = words(plan, &keys.each_ref().map(String::as_str));
    let all = "stations as swept, Ethernet: topology as swept, phy as swept, duplex as swept, cables as swept, \
         PAUSE as swept";
    assert_eq!(network, all);
    let [network, _] = words(plan, &["network.topology"]);
    assert!(network.contains("duplex as each has it"), "a hub is half duplex: {network}");
    let keys = ["load.station-load", "load.frame", "load.to"];
    assert_eq!(
        words(plan, &keys)[1],
        "senders, offering as swept at random times; frames as swept, targets as swept"
    );
    assert!(words(plan, &["load.packet"])[1].contains("packets as swept"));
    assert!(words(plan, &["load.senders"])[1].starts_with("senders, "));
}

#[test]
fn a_load_says_who_offers_what_to_whom() {
    for (plan, text) in [
        ("frame = 64", "4 senders, saturated; frames of 64 B, to any other"),
        ("frame = 64\nto = 'pairs'", "4 senders, saturated; frames of 64 B, in pairs"),
        ("frame = 64\nto = 'next'", "4 senders, saturated; frames of 64 B, to the next"),
        ("frame = 64\nto = 'station 0'", "3 senders, saturated; frames of 64 B, to station 0"),
        (
            "frame = [[64, 7], [1518, 1]]\nstation-load = 0.25",
            "4 senders, each offering 25.0 % of a line at random times; frames of 64 B x 7, 1518 B x 1, to any other",
        ),
        (
            "packet = 1500\ntotal-load = 0.5\narrivals = 'periodic'\nsenders = [1]",
            "one sender, together offering 50.0 % of a line at equal times; packets of 1500 B, to any other",
        ),
        (
            "frame = 64\nstation-load = 0.5\narrivals = 'on-off'",
            "4 senders, each offering 50.0 % of a line at equal times while it is on; frames of 64 B, to any other",
        ),
        (
            "frame = 64\narrivals = 'burst'\nburst = '64KiB'\nevery = '10ms'",
            "4 senders, each offering 64 KiB in bursts at the same instant, every 10.0 ms; frames of 64 B, to any other",
        ),
    ] {
        assert_eq!(load(plan), text);
    }
    let own = load("frame = 64\n[[load.station]]\nstations = [1, 2]\nload = 0.5");
    assert!(own.ends_with("; 2 stations of its own"), "{own}");
}

#[test]
fn several_plans_are_told_one_by_one() {
    let described = described(&fixture::media());
    let names: Vec<&str> =
        described.iter().map(|[_, text]| text.split(':').next().expect("a name")).collect();
    assert_eq!(names, ["ethernet", "fddi", "ten-gigabit"]);
    assert!(
        described
            .iter()
            .all(|[label, text]| label == "plan" && text.contains("Ethernet: ") && text.contains("; "))
    );
}

#[test]
fn swept_values_are_listed_once_in_their_order() {
    let mut study = fixture::sweep();
    assert_eq!(swept(&study), ["network.stations = 2, 4, 8, 16, 32, 64", "load.frame = 64, 512, 1518"]);
    study.points.iter_mut().for_each(|point| point.set[1] = Value::String("a".to_owned()));
    assert_eq!(swept(&study)[1], "load.frame = a");
    assert_eq!(swept(&fixture::media()), [""; 0], "which plans there are is said elsewhere");
}

/// The value of a line of the summary, if there is one.
fn line(run: &LoadOutcome, label: &str) -> Option<String> {
    summary(run, None).into_iter().find(|key| key.label == label).map(|key| key.value)
}

/// The fixture's four stations: 900 Mb/s of a line of 1000 in parts of 1 to 4 tenths.
#[test]
fn a_run_is_summed_up_in_numbers() {
    let run = fixture::outcome(4, 0.9, 1);
    for (label, text) in [
        ("throughput", "900 Mb/s of frames, from header to check sequence"),
        ("goodput", "873 Mb/s of IP packets"),
        ("efficiency", "90.0 % of one line's 1.00 Gb/s"),
        // (1 + 2 + 3 + 4)^2 / (4 (1 + 4 + 9 + 16)).
        ("fairness", "0.8333, Jain's index of 4 senders"),
        (
            "frames",
            "4800 offered: 4400 delivered, 40 lost (excessive collisions 12, overflow 28), \
             360 waiting or on their way at the end",
        ),
        ("collisions", "0.365 a delivered frame; 1606 in all, 8 late, 12 frames given up"),
        ("PAUSE", "20 frames sent by stations, 24 received; stations were paused for 2.80 ms in all"),
    ] {
        assert_eq!(line(&run, label).as_deref(), Some(text));
    }
    let delay = line(&run, "delay").expect("it is there");
    assert!(delay.starts_with("mean ") && delay.ends_with(" us; lost frames have none"), "{delay}");
    assert_eq!(delay.matches(", p").count(), 4, "{delay}");
}

#[test]
fn what_did_not_happen_has_no_line() {
    let quiet = |mac: MacCounters| {
        let mut run = fixture::outcome(2, 0.9, 1);
        run.lost.clear();
        run.stations.iter_mut().for_each(|station| station.mac = MacCounters::default());
        run.stations[0].mac = mac;
        run
    };
    let none = quiet(MacCounters::default());
    assert_eq!((line(&none, "collisions"), line(&none, "PAUSE")), (None, None));
    assert!(line(&none, "delay").expect("it is there").ends_with(" us"));
    assert!(line(&none, "frames").expect("it is there").contains(", 0 lost, "));
    for mac in [
        MacCounters { collisions: 1, ..MacCounters::default() },
        MacCounters { late_collisions: 1, ..MacCounters::default() },
        MacCounters { excessive_collisions: 1, ..MacCounters::default() },
    ] {
        assert!(line(&quiet(mac), "collisions").is_some() && line(&quiet(mac), "PAUSE").is_none(), "{mac:?}");
    }
    for mac in [
        MacCounters { pause_sent: 1, ..MacCounters::default() },
        MacCounters { pause_received: 1, ..MacCounters::default() },
    ] {
        assert!(line(&quiet(mac), "PAUSE").is_some() && line(&quiet(mac), "collisions").is_none(), "{mac:?}");
    }
}

#[test]
fn theory_delays_and_copies_are_told_where_there_are_any() {
    let mut run = fixture::outcome(2, 0.9, 1);
    let theory = |contention| {
        let lines = summary(&run, Some(Ceiling { framing: 0.987, contention }));
        lines.into_iter().find(|key| key.label == "theory").expect("it is there").value
    };
    assert_eq!(theory(None), "98.7 % at most, which is what framing leaves");
    assert!(theory(Some(0.5)).ends_with("; 50.0 % by Metcalfe and Boggs, each frame alone"));
    run.repeated = 1;
    assert!(line(&run, "frames").expect("it is there").ends_with("; one frame repeated on the way besides"));
    run.delay = Delay { p50: Some(Span::from_us(10)), ..Delay::default() };
    run.lost.clear();
    assert_eq!(line(&run, "delay").as_deref(), Some("p50 10.0 us"));
    run.delay = Delay::default();
    assert_eq!(line(&run, "delay").as_deref(), Some("none: no frame arrived"));
}
