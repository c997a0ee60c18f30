//! Kernel settings that affect network performance.

use std::collections::BTreeMap;

use linerate_core::environment::Fact;

use crate::observe::proc_text::read_value;

/// The settings, by their sysctl name.
///
/// Source: kernel documentation, admin-guide/sysctl/net and networking/ip-sysctl.
const NAMES: [&str; 36] = [
    "net.core.busy_poll",
    "net.core.busy_read",
    "net.core.default_qdisc",
    "net.core.dev_weight",
    "net.core.gro_normal_batch",
    "net.core.netdev_budget",
    "net.core.netdev_budget_usecs",
    "net.core.netdev_max_backlog",
    "net.core.optmem_max",
    "net.core.rmem_default",
    "net.core.rmem_max",
    "net.core.rps_sock_flow_entries",
    "net.core.wmem_default",
    "net.core.wmem_max",
    "net.ipv4.tcp_adv_win_scale",
    "net.ipv4.tcp_autocorking",
    "net.ipv4.tcp_available_congestion_control",
    "net.ipv4.tcp_base_mss",
    "net.ipv4.tcp_congestion_control",
    "net.ipv4.tcp_ecn",
    "net.ipv4.tcp_limit_output_bytes",
    "net.ipv4.tcp_mem",
    "net.ipv4.tcp_min_tso_segs",
    "net.ipv4.tcp_moderate_rcvbuf",
    "net.ipv4.tcp_mtu_probing",
    "net.ipv4.tcp_no_metrics_save",
    "net.ipv4.tcp_notsent_lowat",
    "net.ipv4.tcp_rmem",
    "net.ipv4.tcp_sack",
    "net.ipv4.tcp_shrink_window",
    "net.ipv4.tcp_slow_start_after_idle",
    "net.ipv4.tcp_timestamps",
    "net.ipv4.tcp_tso_win_divisor",
    "net.ipv4.tcp_window_scaling",
    "net.ipv4.tcp_wmem",
    "net.ipv4.tcp_workaround_signed_windows",
];

/// Every setting, read in the calling thread's network namespace.
///
/// Some are the host's alone: in another namespace they are unknown.
pub(super) fn all() -> BTreeMap<String, Fact<String>> {
    NAMES.into_iter().map(|name| (name.to_owned(), Fact::from(read_value(path(name))))).collect()
}

fn path(name: &str) -> String {
    format!("/proc/sys/{}", name.replace('.', "/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_is_a_file_and_the_names_are_sorted() {
        assert_eq!(path("net.core.rmem_max"), "/proc/sys/net/core/rmem_max");
        assert!(NAMES.is_sorted());
    }

    #[test]
    fn this_host_has_three_numbers_for_the_receive_buffer() {
        let all = all();
        assert_eq!(all.len(), NAMES.len());
        let rmem = all["net.ipv4.tcp_rmem"].known().expect("every Linux has it");
        assert_eq!(rmem.split(' ').filter(|word| word.parse::<u64>().is_ok()).count(), 3, "{rmem}");
    }
}
