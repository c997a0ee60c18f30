//! Plans with comments, to begin with.

use crate::cli::InitDesign;

/// A plan of this design. Each can be run as it is.
pub(super) fn text(design: InitDesign) -> String {
    let (about, body) = match design {
        InitDesign::Full => ("does the MTU matter, and does the socket buffer?", FULL),
        InitDesign::Staircase => ("what helps, one change at a time", STAIRCASE),
        InitDesign::HighestLoad => ("the highest rate without loss", HIGHEST_LOAD),
        InitDesign::Smallest => ("the smallest socket buffer that keeps the peak", SMALLEST),
        InitDesign::Command => ("how long copying takes, by the size of a block", COMMAND),
    };
    format!("{HEAD}about = \"{about}\"\n# The order of runs follows from it.\nseed = 1\n{body}")
}

const HEAD: &str = "\
# An experiment of linerate. `linerate experiment FILE --dry-run` shows its cells, their order and the time.
";

const FULL: &str = r#"
# The figure that decides what is better. Others are shown too.
goal = "one-way/peak"

# What is run in every cell: what `linerate measure --print-plan` shows (or stream, or rr). Only what differs from the
# defaults needs to be here.
[task]
pattern = "one-way"
schedule = "list:1,1KiB,8KiB,64KiB,512KiB"
time = "3s"

# What it runs on: a laboratory of namespaces (needs root), or host = "NAME" with key-file, or model = "gigabit".
# Without any, both ends are on this host.
[bench]
lab = "pair"

# one-at-a-time, full, two-level, fraction (runs), random (cells), latin-hypercube (cells) or in-turn. Every block
# measures each cell once, in an order drawn by chance: so that a drift is not taken for an effect.
[design]
kind = "full"
blocks = 4

[budget]
# Begin no run after this. `linerate experiment resume FOLDER` goes on.
time = "30min"

# What varies. The first level is the base. A key is task.KEY, model, model.KEY, lab, lab.KEY, here.SETTING or
# there.SETTING (`linerate settings` lists them).
[[factor]]
name = "MTU"
key = "lab.mtu"
levels = [1500, 9000]

[[factor]]
name = "buffer"
key = "task.socket.sndbuf"
levels = ["64KiB", { name = "large", value = "512KiB", set = { "task.socket.rcvbuf" = "512KiB" } }]
"#;

const STAIRCASE: &str = r#"
goal = "one-way/peak"

[task]
pattern = "one-way"
schedule = "list:1,1KiB,8KiB,64KiB,512KiB"
time = "2s"

[bench]
lab = "pair"

# Each level after the first of each factor is a change. It is tried on top of the best so far, in pairs of runs with
# and without it, and kept if it is better with confidence. The last pairs hold the best against the base.
[design]
kind = "staircase"
pairs = 3
looks = 4

[[factor]]
name = "MTU"
key = "lab.mtu"
levels = [1500, 9000]

[[factor]]
name = "buffer"
key = "task.socket.sndbuf"
levels = ["64KiB", "512KiB"]
"#;

const HIGHEST_LOAD: &str = r#"
# Bulk by UDP, paced: a share is lost above what the path carries.
[task]
transport = "udp"
time = "2s"

[task.stream]

[bench]
lab = "slow-port"

# RFC 2544, section 26.1: the highest rate at which no more than `loss` is lost, in all of `repeats` runs.
[design]
kind = "highest-load"
loss = 0.001
repeats = 2

[[factor]]
name = "rate"
key = "task.stream.rate-bps"
levels = [
  { name = "50M", value = 50e6 },
  { name = "60M", value = 60e6 },
  { name = "70M", value = 70e6 },
  { name = "80M", value = 80e6 },
  { name = "90M", value = 90e6 },
  { name = "95M", value = 95e6 },
  { name = "100M", value = 100e6 },
  { name = "120M", value = 120e6 },
]
"#;

const SMALLEST: &str = r#"
goal = "one-way/peak"

[task]
pattern = "one-way"
schedule = "list:64KiB,512KiB"
time = "2s"

[bench]
lab = "pair"

# The smallest level that keeps this share of the goal at the largest.
[design]
kind = "smallest"
keep = 0.95
repeats = 4

[[factor]]
name = "buffer"
key = "task.socket.sndbuf"
levels = ["8KiB", "16KiB", "32KiB", "64KiB", "128KiB", "256KiB", "512KiB", "1MiB"]
"#;

const COMMAND: &str = r#"
goal = "time"

# Any program of this host; {NAME} is the level of the factor of that name. A metric is read at a JSON pointer
# (json = "/end/sum/bits_per_second") or by a regular expression whose first group is the number.
[command]
run = ["dd", "if=/dev/zero", "of=/dev/null", "bs={block}", "count=20000"]

[command.metric.time]
pattern = 'copied, ([0-9.e-]+) s'
unit = "s"
better = "less"

[design]
kind = "one-at-a-time"
blocks = 5

[[factor]]
name = "block"
levels = [512, 4096, 65536]
"#;
