//! Several plans, and all media, in one command.

use serde_json::Value;

use super::desk;

#[test]
fn all_media_are_compared_in_one_graph() {
    let desk = desk();
    let args = [
        "model",
        "load",
        "--media",
        "--sweep",
        "load.packet=300,1500",
        "--set",
        "load.frames=3000",
        "--set",
        "load.time=9s",
        "--set",
        "load.warm-up=0s",
        "--report",
        "x.html",
        "--format",
        "json",
    ];
    let said = desk.linerate(&args).done();
    let json: Value = serde_json::from_str(&said.stdout).expect("it is JSON");
    let points = json["points"].as_array().expect("points");
    assert_eq!(points.len(), 9 * 2);
    assert_eq!(points[0]["set"]["plan"], "ethernet");
    assert_eq!(json["plans"].as_object().expect("a plan for each").len(), 9);
    // Of 100 Mb/s, the ring carries more of every packet than Fast Ethernet, by both measures.
    let of = |plan: &str, measure: &str| {
        let mut points =
            points.iter().filter(|point| point["set"]["plan"] == plan && point["set"]["load.packet"] == 1500);
        points.next().and_then(|point| point["summary"][measure]["mean"].as_f64()).expect("a mean")
    };
    for measure in ["goodput_mbps", "throughput_mbps"] {
        let [fast, ring] = ["fast-ethernet", "fddi"].map(|plan| of(plan, measure));
        assert!(ring > fast / 2.0 && ring < 1.02 * fast / 2.0, "{measure}: {ring} and {fast} of two lines");
    }
    let page = desk.read("x.html");
    assert!(page.contains("Goodput against packet size"), "there is a chart");
    // Charts of the same many curves share a legend.
    let legends: String =
        page.split(r#"<div class="legend"#).skip(1).filter_map(|it| it.split("</div>").next()).collect();
    for name in ["ethernet", "atm-oc3c", "fddi", "fibre-channel", "myrinet", "ten-gigabit-wan"] {
        assert!(legends.contains(name), "{name} has no curve");
    }
}

#[test]
fn plans_without_a_sweep_stand_side_by_side() {
    let desk = desk();
    let set = ["--set", "load.packet=1500", "--set", "load.frames=500"];
    let args = [&["model", "load", "fast-ethernet", "fddi", "--report", "x.html"], &set[..]].concat();
    let said = desk.linerate(&args).done().stdout;
    assert!(
        said.contains("fast-ethernet, fddi") && said.contains("  plan        fddi: 2 stations, FDDI"),
        "{said}"
    );
    assert!(desk.read("x.html").contains("Goodput against plan"));
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let refusal = |args: &[&str]| desk().linerate(&[&["model", "load"], args].concat()).complaint();
    assert!(refusal(&["fddi", "fddi"]).starts_with("failed to compare plans: two of them are called `fddi`"));
    let said = refusal(&["--media", "--set", "load.packet=4000"]);
    assert!(
        said.starts_with("failed to build the model with plan = ethernet: load.packet is 4000"),
        "{said}"
    );
    assert!(
        refusal(&["fddi", "gigabit", "--trace", "x.pcapng"]).starts_with("failed to choose what to trace")
    );
}
