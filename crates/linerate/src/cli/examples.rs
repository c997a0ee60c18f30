//! The examples at the end of each verb's help, and the environment variables.

pub(super) const LINERATE: &str = "\
Examples:
  linerate serve           # on the other host; it prints a key
  linerate HOST --key KEY  # the path from here to HOST";

pub(super) const MEASURE: &str = "\
Examples:
  linerate measure node7 --key fdpk-33wq-mtzx
  linerate measure --model gigabit";

pub(super) const STREAM: &str = "\
Examples:
  linerate stream node7 --key fdpk-33wq-mtzx --flows 4
  linerate stream node7 node8 --direction receive --rate 1G";

pub(super) const RR: &str = "\
Examples:
  linerate rr node7 --key fdpk-33wq-mtzx --under-load 4
  linerate rr --transport udp --rate 1000";

pub(super) const MESH: &str = "\
Examples:
  linerate mesh --hosts n[1-16] --deploy
  srun -N 16 linerate mesh --schedules pairs,bisection
  linerate mesh --model cluster-switch --collectives allreduce";

pub(super) const APP: &str = "\
Examples:
  linerate app photon scene=small-room --ranks 4 --show room.png
  linerate app tbmd --model cluster-fast --ranks 8";

pub(super) const TRACE: &str = "\
Examples:
  sudo linerate trace node7 --key fdpk-33wq-mtzx --perfetto x.json
  linerate trace --model acenic";

pub(super) const SERVE: &str = "\
Examples:
  linerate serve
  linerate serve --listen 10.0.0.7:6000 --key-file key.txt
  linerate serve --max-time 60min --slots 2";

pub(super) const HOST: &str = "\
Examples:
  linerate host
  linerate host --quick --out host.json --report host.html
  linerate report host.json";

pub(super) const CALIBRATE: &str = "\
Examples:
  sudo linerate calibrate --out host.toml
  sudo linerate calibrate --measure --mtu 9000 -- --out x.run.json";

pub(super) const PREDICT: &str = "\
Examples:
  linerate predict x.run.json --host host.toml
  linerate predict x.run.json --host host.toml --what-if mtu=3000,9000";

pub(super) const REPORT: &str = "\
Examples:
  linerate report x.run.json
  linerate report before.run.json after.run.json --report both.html
  linerate report np.out --report np.csv";

pub(super) const EXPLAIN: &str = "\
Examples:
  linerate measure node7 --key fdpk-33wq-mtzx --out x.run.json
  linerate explain x.run.json
  linerate explain x.run.json --format json";

pub(super) const COMPARE: &str = "\
Examples:
  linerate compare before.run.json --with after.run.json
  linerate compare old-*.run.json --with new-*.run.json --report both.html
  linerate compare np.out --with x.run.json --anyway";

pub(super) const HISTORY: &str = "\
Examples:
  linerate measure node7 --key fdpk-33wq-mtzx --record --label kernel=6.18
  linerate history changes --exit-code";

pub(super) const LAB: &str = "\
Examples:
  linerate lab plans
  sudo linerate measure --lab pair
  sudo linerate stream --lab n-to-1 h1 h2 h3 h4 --on sink --direction receive
  sudo linerate lab up dumbbell";

pub(super) const EXPERIMENT: &str = "\
Examples:
  linerate experiment init > mine.toml
  linerate experiment mine.toml --dry-run
  linerate experiment report mine.experiment --report mine.html";

pub(super) const EXPERIMENT_RESUME: &str = "\
Examples:
  linerate experiment resume mine.experiment
  linerate experiment resume mine.experiment --time 2h";

pub(super) const SETTINGS: &str = "\
Examples:
  linerate settings
  linerate settings list -i eth0 ring.rx coalesce.rx-usecs
  sudo linerate settings with mtu@eth0=9000 -- linerate measure node7";

pub(super) const SETTINGS_WITH: &str = "\
Examples:
  sudo linerate settings with mtu@eth0=9000 -- linerate measure node7
  sudo linerate settings with 'sysctl.net.ipv4.tcp_rmem=4096 65536 65536' -- make bench";

pub(super) const LAB_UP: &str = "\
Examples:
  sudo linerate lab up dumbbell
  sudo linerate lab up mine.toml --name test";

pub(super) const LAB_EXEC: &str = "\
Examples:
  sudo linerate lab exec a1 -- ping -c 3 b1
  sudo linerate lab exec dumbbell.r1 -- tc -s qdisc";

pub(super) const LOAD: &str = "\
Examples:
  linerate model load ten-base-t
  linerate model load ten-base-t --sweep network.stations=2,10 --report x.html
  linerate model load --media --sweep load.packet=64,256,1500 --report x.html";

pub(super) const CHECK: &str = "\
Examples:
  linerate model check
  linerate model check F063
  linerate model check P --report claims.html";

pub(super) const LIST: &str = "\
Examples:
  linerate model list
  linerate model list --format json";

pub(super) const SHOW: &str = "\
Examples:
  linerate model show ten-base-t > mine.toml";

const ENVIRONMENT: &str = "\
Environment:
  LINERATE_KEY  The key for `measure`, `stream` and `rr`, instead of --key.
  LINERATE_PROFILE
                The profile of the configuration, instead of --profile.
  LINERATE_NO_CONFIG
                If set, read no configuration, as --no-config.
  LINERATE_HISTORY
                The history, instead of --history; records every run.
  LINERATE_SETTINGS
                Where changed settings are noted, to be put back
                [default: /var/lib/linerate/settings for root].
  LINERATE_LOG  What `serve` logs: error, warn, info (default), debug, trace,
                or filters such as `linerate_net=debug`.
  NO_COLOR      If set, use no colours.
  COLUMNS       Width of help texts where there is no terminal.";

/// The end of the long help of `linerate` itself.
pub(super) fn with_environment() -> String {
    format!("{LINERATE}\n\n{ENVIRONMENT}")
}
