//! Every setting, in one line each.

/// What has a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// An interface of the calling thread's network namespace.
    Interface,
    /// That network namespace.
    Namespace,
    /// The whole host, in every network namespace.
    Host,
}

/// A kind of setting.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// Its name; FEATURE and NAME stand for many.
    pub name: &'static str,
    /// What has it. Of sysctls those below `vm` are of the host.
    pub scope: Scope,
    /// What it is.
    pub about: &'static str,
    /// The unit or the form of its values.
    pub unit: &'static str,
    /// The file or call that it is read from and set with.
    pub source: &'static str,
    /// What setting it needs.
    pub needs: &'static str,
}

/// Every kind, those of interfaces first.
#[must_use]
pub const fn catalogue() -> &'static [Kind] {
    KINDS
}

const RINGS: &str = "ioctl ETHTOOL_GRINGPARAM, ETHTOOL_SRINGPARAM";
const COALESCING: &str = "ioctl ETHTOOL_GCOALESCE, ETHTOOL_SCOALESCE";
const CHANNELS: &str = "ioctl ETHTOOL_GCHANNELS, ETHTOOL_SCHANNELS";
const PAUSE: &str = "ioctl ETHTOOL_GPAUSEPARAM, ETHTOOL_SPAUSEPARAM";
const DRIVER: &str = "root (CAP_NET_ADMIN) and a driver that has it";
const NET_ADMIN: &str = "root (CAP_NET_ADMIN)";
const ROOT: &str = "root";
const MASK: &str = "CPU mask, hexadecimal; or one for each, such as rx-0=1 rx-1=2";

const fn interface(
    name: &'static str,
    about: &'static str,
    unit: &'static str,
    source: &'static str,
    needs: &'static str,
) -> Kind {
    Kind { name, scope: Scope::Interface, about, unit, source, needs }
}

/// The order is that in which they are shown.
const KINDS: &[Kind] = &[
    interface("mtu", "the largest IP packet", "bytes, of IP", "rtnetlink IFLA_MTU", NET_ADMIN),
    interface(
        "txqueuelen",
        "the room of the queue before the driver, which pfifo takes as its default",
        "packets",
        "rtnetlink IFLA_TXQLEN",
        NET_ADMIN,
    ),
    interface(
        "offload.FEATURE",
        "work that the adaptor or the kernel does on many packets at once: tso gso gro lro rx tx sg, or the kernel's name of a feature",
        "on, off; or one for each feature, such as tx-tcp-segmentation=on",
        "ioctl ETHTOOL_GFEATURES, ETHTOOL_SFEATURES",
        DRIVER,
    ),
    interface("ring.rx", "descriptors of each receive ring", "descriptors", RINGS, DRIVER),
    interface("ring.tx", "descriptors of each transmit ring", "descriptors", RINGS, DRIVER),
    interface(
        "coalesce.rx-usecs",
        "how long a received packet may wait for its interrupt",
        "microseconds",
        COALESCING,
        DRIVER,
    ),
    interface(
        "coalesce.rx-frames",
        "how many received packets may wait for one interrupt",
        "packets",
        COALESCING,
        DRIVER,
    ),
    interface(
        "coalesce.tx-usecs",
        "how long a sent packet may wait for its interrupt",
        "microseconds",
        COALESCING,
        DRIVER,
    ),
    interface(
        "coalesce.tx-frames",
        "how many sent packets may wait for one interrupt",
        "packets",
        COALESCING,
        DRIVER,
    ),
    interface(
        "coalesce.adaptive-rx",
        "whether the driver adapts coalescing to what is received",
        "on, off",
        COALESCING,
        DRIVER,
    ),
    interface(
        "coalesce.adaptive-tx",
        "whether the driver adapts coalescing to what is sent",
        "on, off",
        COALESCING,
        DRIVER,
    ),
    interface(
        "channels.combined",
        "queues with one interrupt for both directions",
        "queues",
        CHANNELS,
        DRIVER,
    ),
    interface("channels.rx", "queues that only receive", "queues", CHANNELS, DRIVER),
    interface("channels.tx", "queues that only send", "queues", CHANNELS, DRIVER),
    interface(
        "channels.other",
        "interrupts for other ends, such as the link's state",
        "interrupts",
        CHANNELS,
        DRIVER,
    ),
    interface(
        "pause.autoneg",
        "whether flow control is negotiated with the other end of the link",
        "on, off",
        PAUSE,
        DRIVER,
    ),
    interface(
        "pause.rx",
        "whether the adaptor stops when it is sent a PAUSE frame (IEEE 802.3 annex 31B)",
        "on, off",
        PAUSE,
        DRIVER,
    ),
    interface("pause.tx", "whether the adaptor sends PAUSE frames", "on, off", PAUSE, DRIVER),
    interface(
        "qdisc",
        "the queueing discipline at the root",
        "pfifo_fast; pfifo limit PACKETS; noqueue; fq; fq_codel; tbf rate 100mbit burst 32kb limit 128kb (burst and limit in bytes, kb is 1024)",
        "rtnetlink RTM_NEWQDISC",
        "root (CAP_NET_ADMIN) and a kernel that has it",
    ),
    interface(
        "rps",
        "which CPUs process what every receive queue brings",
        MASK,
        "/sys/class/net/NAME/queues/rx-*/rps_cpus",
        ROOT,
    ),
    interface(
        "xps",
        "which CPUs send through every transmit queue",
        MASK,
        "/sys/class/net/NAME/queues/tx-*/xps_cpus",
        ROOT,
    ),
    interface(
        "irq-affinity",
        "which CPUs take the interrupts of the interface",
        MASK,
        "/proc/irq/N/smp_affinity",
        ROOT,
    ),
    Kind {
        name: "governor",
        scope: Scope::Host,
        about: "the rule by which CPUs choose their frequency",
        unit: "a name; or one for each policy, such as policy0=performance",
        source: "/sys/devices/system/cpu/cpufreq/policy*/scaling_governor",
        needs: "root and a driver of CPU frequencies",
    },
    Kind {
        name: "idle-latency",
        scope: Scope::Host,
        about: "the deepest idle state that CPUs may enter: all that take longer to leave are disabled",
        unit: "microseconds; or 0 or 1 for each state's disable file, such as cpu0/state1=1",
        source: "/sys/devices/system/cpu/cpu*/cpuidle/state*/disable",
        needs: "root and a driver of idle states",
    },
    Kind {
        name: "congestion-control",
        scope: Scope::Namespace,
        about: "TCP's congestion control of new connections",
        unit: "a name",
        source: "/proc/sys/net/ipv4/tcp_congestion_control",
        needs: ROOT,
    },
    Kind {
        name: "sysctl.NAME",
        scope: Scope::Namespace,
        about: "any value below /proc/sys/net and /proc/sys/vm",
        unit: "as its documentation says",
        source: "/proc/sys/NAME",
        needs: ROOT,
    },
];
