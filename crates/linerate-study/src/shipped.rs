//! The plans of models that come with linerate, each a file in `plans/`.

use linerate_sim::shipped;
use linerate_sim::shipped::Shipped;

/// Every plan that comes with linerate, in the order in which they are listed.
pub const SHIPPED: &[Shipped] = shipped![Shipped; "../plans/":
    "direct",
    "indirect",
    "n-to-1",
    "n-to-1-lossless",
    "switch-queue",
    "incast",
    "on-off",
    "bufferbloat",
    "slower-port",
    "campus",
    "jumbo",
    "ethernet",
    "fast-ethernet",
    "gigabit",
    "ten-gigabit",
    "ten-gigabit-wan",
    "atm-oc3c",
    "fddi",
    "fibre-channel",
    "myrinet",
    "ten-base-t",
    "mixed-sizes",
    "fast-ethernet-hub",
    "gigabit-half-duplex",
    "gigabit-half-duplex-no-burst",
    "illegal-diameter",
    "duplex-mismatch",
    "hub-switch-repeater",
    "full-duplex-repeater",
    "cluster-repeater",
    "cluster-switch",
    "cluster-fast",
    "cluster-fast-2",
    "cluster-myrinet",
    "cluster-atm",
    "cluster-slow-port",
    "cluster-shared-uplink",
    "pause-headroom",
    "pause-no-headroom",
    "log-jam",
    "log-jam-asymmetric";
    "../plans/papers/":
    "gnic-ii",
    "kernel-2.0.35",
    "kernel-2.2.5",
    "kernel-2.2.5-ackfix",
    "gnic-ii-350-450",
    "gnic-ii-450-450",
    "hamachi-0.07",
    "hamachi-0.07p",
    "acenic",
    "one-way-350-450",
    "netperf",
    "rings",
    "ppro-linux",
    "ppro-freebsd",
    "c180-atm",
    "c180-fibre-channel",
    "c180-fast-ethernet",
    "pe2650",
    "wan-10037-km",
];

/// The plans of one medium each, side by side: two hosts, the usual MTU.
pub const MEDIA: [&str; 9] = [
    "ethernet",
    "fast-ethernet",
    "gigabit",
    "ten-gigabit",
    "ten-gigabit-wan",
    "atm-oc3c",
    "fddi",
    "fibre-channel",
    "myrinet",
];

/// The plan of this name.
pub fn find(name: &str) -> Option<&'static Shipped> {
    SHIPPED.iter().find(|plan| plan.name == name)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use linerate_sim::model::check;
    use linerate_sim::plan::ModelPlan;

    use super::*;

    #[test]
    fn every_file_is_in_the_list() {
        let plans = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../plans");
        let folders = [plans.clone(), plans.join("papers")];
        let files = folders.iter().flat_map(|folder| folder.read_dir().expect("it is in the repository"));
        let stem = |file: std::fs::DirEntry| {
            file.file_name().to_string_lossy().strip_suffix(".toml").map(str::to_owned)
        };
        let files: BTreeSet<String> = files
            .flatten()
            .filter(|file| file.path().is_file())
            .map(|file| stem(file).expect("only plans lie there"))
            .collect();
        let listed: BTreeSet<String> = SHIPPED.iter().map(|plan| plan.name.to_owned()).collect();
        assert_eq!(files, listed);
        assert_eq!(listed.len(), SHIPPED.len(), "none is listed twice");
    }

    #[test]
    fn every_plan_can_be_built_and_says_what_it_is() {
        for Shipped { name, text } in SHIPPED {
            let plan = ModelPlan::from_toml(text).unwrap_or_else(|error| panic!("{name}: {error}"));
            check(&plan).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(!plan.about.is_empty() && plan.about.lines().count() == 1, "{name}: {}", plan.about);
        }
    }
}
