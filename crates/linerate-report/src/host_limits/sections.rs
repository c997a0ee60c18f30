//! The tables.

use linerate_core::environment::Fact;
use linerate_core::host_limits::{
    Adaptor, CallCosts, CopyCost, HostLimits, Kernel, MemoryLimits, NOT_REACHED, PacketCosts, StreamRates,
    WorkingSet,
};
use linerate_core::stats::Estimate;
use linerate_core::units::{Rate, Size};

use super::words::{cells, fits, gigabytes, said, wake_up, within};
use crate::columns::Column;
use crate::section::TableView;
use crate::text::{digits, percent, plain};

/// The name that the numbers of the four kernels must have: they are no result of STREAM.
pub(super) const VARIANT: &str = "Memory bandwidth: a variant of STREAM, not a STREAM result";

/// All tables that have something to say.
pub(super) fn all(limits: &HostLimits) -> Vec<TableView> {
    let mut found = Vec::new();
    match &limits.memory {
        Fact::Known(memory) => {
            found.push(stream(memory));
            found.extend(across_nodes(memory));
            found.extend(working_sets(memory));
        }
        unknown => found.push(absent(VARIANT, unknown)),
    }
    found.push(match &limits.copies {
        Fact::Known(costs) => copies(costs),
        unknown => absent("Copies and checksums", unknown),
    });
    found.push(costs(&limits.calls, &limits.packets));
    found.push(match &limits.adaptors {
        Fact::Known(adaptors) => pci(adaptors),
        unknown => absent("PCI", unknown),
    });
    found
}

/// A table of which nothing is known but why.
fn unknown(title: &str, because: Vec<String>) -> TableView {
    TableView::new(title, vec![Column::of_words("not measured, because", 0, because)])
}

fn absent<T>(title: &str, fact: &Fact<T>) -> TableView {
    let why = if let Fact::Unknown { unknown } = fact { unknown } else { NOT_REACHED };
    unknown(title, vec![plain(why)])
}

/// Columns of words or numbers from rows of cells.
fn columns<const N: usize>(headings: [(&str, u8); N], rows: &[[String; N]], words: &[usize]) -> Vec<Column> {
    let column = |(nth, (heading, expendable)): (usize, (&str, u8))| {
        let cells = rows.iter().map(|row| row[nth].clone()).collect();
        if words.contains(&nth) {
            Column::of_words(heading, expendable, cells)
        } else {
            Column::new(heading, expendable, cells)
        }
    };
    headings.into_iter().enumerate().map(column).collect()
}

const RATES: [(&str, u8); 5] = [("GB/s", 0), ("95 % from", 2), ("to", 2), ("best", 1), ("passes", 3)];

/// A row for each kernel, behind these cells.
fn of_kernels<const N: usize>(rates: &StreamRates, first: &[String; N]) -> Vec<Vec<String>> {
    let row = |kernel: Kernel| {
        let rate = rates.rate(kernel);
        let own = [kernel.name().to_owned()].into_iter().chain(cells(&rate.bytes_per_second, gigabytes));
        let more = [gigabytes(rate.best_bytes_per_second), rates.passes.to_string()];
        first.iter().cloned().chain(own).chain(more).collect()
    };
    Kernel::ALL.into_iter().map(row).collect()
}

fn stream(memory: &MemoryLimits) -> TableView {
    let rows = memory.threads.iter().flat_map(|it| of_kernels(&it.rates, &[it.threads.to_string()]));
    let rows: Vec<[String; 7]> = rows.filter_map(|row| row.try_into().ok()).collect();
    let [rate, low, high, best, passes] = RATES;
    TableView::new(VARIANT, columns([("threads", 0), ("kernel", 0), rate, low, high, best, passes], &rows, &[1])).noted(vec![format!(
            "Three arrays of {} each. Bytes read and written: 16 an element for copy and scale, 24 for add and triad, \
             without write-allocate. The first pass does not count.",
            Size(memory.array_bytes)
        )])
}

fn across_nodes(memory: &MemoryLimits) -> Option<TableView> {
    let first = |it: &linerate_core::host_limits::NodesRate| {
        [it.threads_on, it.memory_on, it.threads].map(|number| number.to_string())
    };
    let rows = memory.across_nodes.iter().flat_map(|it| of_kernels(&it.rates, &first(it)));
    let rows: Vec<[String; 9]> = rows.filter_map(|row| row.try_into().ok()).collect();
    let [rate, low, high, best, passes] = RATES;
    let headings =
        [("threads on", 0), ("memory on", 0), ("threads", 1), ("kernel", 0), rate, low, high, best, passes];
    (!rows.is_empty()).then(|| {
        TableView::new("Memory across nodes (NUMA)", columns(headings, &rows, &[3]))
            .noted(vec!["A node's memory is what its own threads wrote first.".to_owned()])
    })
}

fn working_sets(memory: &MemoryLimits) -> Option<TableView> {
    let short: Vec<usize> =
        (0..memory.working_sets.len()).filter(|nth| is_shown(&memory.working_sets[*nth])).collect();
    let row = |it: &WorkingSet| {
        let [copy, copy_low, copy_high] = cells(&it.copy_bytes_per_second, gigabytes);
        let [triad, low, high] = cells(&it.triad_bytes_per_second, gigabytes);
        [
            Size(it.bytes).to_string(),
            fits(it.bytes, &memory.caches),
            copy,
            copy_low,
            copy_high,
            triad,
            low,
            high,
        ]
    };
    let rows: Vec<[String; 8]> = memory.working_sets.iter().map(row).collect();
    let headings = [
        ("working set", 0),
        ("fits", 0),
        ("copy GB/s", 0),
        ("95 % from", 2),
        ("to", 2),
        ("triad GB/s", 0),
        ("95 % from", 1),
        ("to", 1),
    ];
    (!rows.is_empty()).then(|| {
        TableView::new("Memory by working set, one thread", columns(headings, &rows, &[1])).brief(short, "")
    })
}

/// One in two doublings from 4 KiB.
fn is_shown(set: &WorkingSet) -> bool {
    set.bytes.is_power_of_two() && set.bytes.trailing_zeros().is_multiple_of(2)
}

fn copies(costs: &[CopyCost]) -> TableView {
    let row = |it: &CopyCost| {
        let [within, into, out, sum] =
            [&it.within_ns, &it.into_kernel_ns, &it.out_of_kernel_ns, &it.checksum_ns].map(within);
        [Size(it.bytes).to_string(), within, into, out, sum]
    };
    let rows: Vec<[String; 5]> = costs.iter().map(row).collect();
    let headings =
        [("size", 0), ("copy ns", 0), ("into the kernel ns", 0), ("out of it ns", 0), ("checksum ns", 0)];
    TableView::new("Copies and checksums of bytes in the cache", columns(headings, &rows, &[])).noted(vec![
            "+- is half the 95 % interval as a share of the median. Into and out of the kernel: a Unix socket, calls \
             included, in pieces of at most 64 KiB. Checksum: 16-bit one's complement."
                .to_owned(),
        ])
}

/// What is timed, by name.
type Cost<'a> = (String, &'a Fact<Estimate>);

fn costs(calls: &Fact<CallCosts>, packets: &Fact<PacketCosts>) -> TableView {
    let mut timed: Vec<Cost<'_>> = Vec::new();
    let mut notes = Vec::new();
    match calls {
        Fact::Known(calls) => {
            timed.extend(of_calls(calls));
            notes.push(clock_and_idle(calls));
        }
        Fact::Unknown { unknown } => notes.push(format!("Calls and wake-ups: unknown ({}).", plain(unknown))),
    }
    match packets {
        Fact::Known(packets) => timed.extend(of_packets(packets)),
        Fact::Unknown { unknown } => notes.push(format!("Received packets: unknown ({}).", plain(unknown))),
    }
    let row = |(name, fact): &Cost<'_>| {
        let [median, low, high] = cells(fact.known()?, digits);
        Some([name.clone(), median, low, high])
    };
    let rows: Vec<[String; 4]> = timed.iter().filter_map(row).collect();
    for (name, fact) in &timed {
        if let Fact::Unknown { unknown } = fact {
            notes.push(format!("{name}: unknown ({}).", plain(unknown)));
        }
    }
    let headings = [("cost", 0), ("ns", 0), ("95 % from", 0), ("to", 0)];
    if rows.is_empty() {
        return unknown("Calls, wake-ups and packets", notes);
    }
    TableView::new("Calls, wake-ups and packets", columns(headings, &rows, &[0])).noted(notes)
}

fn of_calls(calls: &CallCosts) -> impl Iterator<Item = Cost<'_>> {
    let first = [
        ("system call (getppid)", &calls.system_call_ns),
        ("call on a TCP socket that moves nothing", &calls.socket_call_ns),
        ("context switch on one processor", &calls.context_switch_ns),
        ("futex wake of nobody", &calls.futex_call_ns),
        ("futex wake of a sleeper on another processor", &calls.futex_wake_ns),
    ];
    let wakes = calls.wake_ups.iter().map(|it| (wake_up(it), &it.time_ns));
    first.into_iter().chain(wakes).map(|(name, fact)| (name.to_owned(), fact))
}

fn of_packets(packets: &PacketCosts) -> impl Iterator<Item = Cost<'_>> {
    let all = [
        ("UDP send of 64 B that delivers (loopback)", &packets.delivered_ns),
        ("UDP send that the kernel keeps (MSG_MORE)", &packets.kept_ns),
        ("receiving a packet in softirq, at most", &packets.received_at_most_ns),
    ];
    all.into_iter().map(|(name, fact)| (name.to_owned(), fact))
}

/// The clock, and the idle states with what it takes to leave them.
fn clock_and_idle(calls: &CallCosts) -> String {
    let clock = said(&calls.clock, |clock| {
        format!("{}, a read takes {}, its smallest step is {}", clock.name, clock.cost, clock.resolution)
    });
    let idle = said(&calls.idle_states, |states| {
        let state = |it: &linerate_core::host_limits::IdleState| {
            let off = if it.disabled { " (off)" } else { "" };
            format!("{} {}{off}", it.name, it.exit_latency)
        };
        states.iter().map(state).collect::<Vec<_>>().join(", ")
    });
    plain(&format!("Clock: {clock}. Idle states and the time to leave them: {idle}."))
}

fn pci(adaptors: &[Adaptor]) -> TableView {
    let rate = |mbps: &u64| Rate::from_mbps(*mbps as f64).to_string();
    let mut notes = Vec::new();
    let mut row = |it: &Adaptor| {
        let mut fact = |what: &str, text: Result<String, &String>| {
            text.unwrap_or_else(|why| {
                notes.push(plain(&format!("{}: {what} unknown ({why}).", it.interface)));
                "-".to_owned()
            })
        };
        let link = fact("PCI link", known(&it.link).map(ToString::to_string));
        let port = fact("port speed", known(&it.port_mbps).map(rate));
        let carries = it.link.known().map_or_else(|| "-".to_owned(), |link| link.data_rate().to_string());
        let best = it.best_link.known().map_or_else(|| "-".to_owned(), ToString::to_string);
        let enough = it.headroom().map_or_else(|| "-".to_owned(), percent);
        [plain(&it.interface), plain(&it.address), link, best, carries, port, enough]
    };
    let rows: Vec<[String; 7]> = adaptors.iter().map(&mut row).collect();
    let headings = [
        ("adaptor", 0),
        ("PCI address", 2),
        ("link", 0),
        ("best link", 1),
        ("carries", 0),
        ("port", 0),
        ("of the port", 0),
    ];
    TableView::new("PCI, one direction, after encoding", columns(headings, &rows, &[0, 1])).noted(notes)
}

fn known<T>(fact: &Fact<T>) -> Result<&T, &String> {
    match fact {
        Fact::Known(value) => Ok(value),
        Fact::Unknown { unknown } => Err(unknown),
    }
}
