//! Queueing disciplines as text, in the words of tc(8), and as the kernel gives them.

use std::fmt;
use std::str::FromStr;

use linerate_core::lab::Bucket;
use linerate_core::units::{Rate, Size};

use crate::netlink::attributes;

/// The forms that are understood.
pub(super) const FORMS: &str = "pfifo_fast, noqueue, mq, pfifo limit PACKETS, bfifo limit BYTES, fq, fq_codel, or tbf \
                                rate 100mbit burst 32kb limit 128kb";
/// Kinds that an interface has by itself, and that have nothing to choose.
const PLAIN: [&str; 4] = ["pfifo_fast", "noqueue", "mq", "noop"];
/// Kinds whose options are kept as the kernel gives them.
const OPAQUE: [&str; 2] = ["fq", "fq_codel"];
/// Unit: nanoseconds of a tick.  Source: `net/pkt_sched.h`, `PSCHED_SHIFT`.
const TICK_NS: u128 = 64;

/// A queueing discipline as it is set.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Form {
    /// One that has nothing to choose, or that the kernel gives by itself.
    Own(String),
    /// A token bucket.
    Bucket(Bucket),
    /// Another, with its options.
    Queue(Queue),
}

/// A kind and its options as the kernel takes them; if absent, its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Queue {
    pub(super) kind: String,
    pub(super) options: Option<Vec<u8>>,
}

impl Form {
    /// What the kernel says of one that somebody set.
    ///
    /// Errors: in words, why it could not be set again so.
    pub(super) fn read(kind: &str, options: &[u8]) -> Result<Self, String> {
        match kind {
            _ if PLAIN.contains(&kind) => Ok(Self::Own(kind.to_owned())),
            "pfifo" | "bfifo" if options.len() == 4 => {
                Ok(Self::Queue(Queue { kind: kind.to_owned(), options: Some(options.to_vec()) }))
            }
            "tbf" => bucket(options).map(Self::Bucket),
            _ if OPAQUE.contains(&kind) => {
                Ok(Self::Queue(Queue { kind: kind.to_owned(), options: Some(options.to_vec()) }))
            }
            _ => Err(format!("it is {kind}, whose options linerate does not know")),
        }
    }

    /// Whether `self` and `other` are the same to the kernel.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Bucket(a), Self::Bucket(b)) => {
                // A tick, as bytes at this rate, and one for the division.
                let tick = (a.rate.bits_per_second() / 8e9 * TICK_NS as f64) as u64 + 1;
                a.rate == b.rate && a.queue == b.queue && a.burst.bytes().abs_diff(b.burst.bytes()) <= tick
            }
            (Self::Own(own), Self::Queue(queue)) | (Self::Queue(queue), Self::Own(own)) => *own == queue.kind,
            (Self::Queue(a), Self::Queue(b)) => {
                a.kind == b.kind && (a.options.is_none() || b.options.is_none() || a.options == b.options)
            }
            _ => self == other,
        }
    }
}

impl FromStr for Form {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let other = || Err(format!("it takes {FORMS}"));
        let words: Vec<&str> = text.split_whitespace().collect();
        match words.as_slice() {
            [kind] if PLAIN.contains(kind) || OPAQUE.contains(kind) => Ok(Self::Own((*kind).to_owned())),
            [kind, "options", hex] if OPAQUE.contains(kind) => {
                let options = Some(bytes_of(hex).ok_or("its options are bytes in hexadecimal digits")?);
                Ok(Self::Queue(Queue { kind: (*kind).to_owned(), options }))
            }
            [kind @ ("pfifo" | "bfifo"), "limit", limit] => {
                let limit = if *kind == "pfifo" { limit.parse().ok() } else { size(limit) };
                let limit = limit.ok_or("its limit is a number of packets (pfifo) or bytes (bfifo)")?;
                let options = Some(limit.to_ne_bytes().to_vec());
                Ok(Self::Queue(Queue { kind: (*kind).to_owned(), options }))
            }
            ["tbf", pairs @ ..] if pairs.len() == 6 => {
                let of = |name| pairs.chunks(2).find(|pair| pair[0] == name).map(|pair| pair[1]);
                let Some(((given, burst), limit)) = of("rate").zip(of("burst")).zip(of("limit")) else {
                    return other();
                };
                let rate = rate(given).ok_or_else(|| format!("{given} is no rate, such as 100mbit"))?;
                let size = |text: &str| {
                    let bytes = size(text).filter(|bytes| *bytes > 0);
                    bytes
                        .map(|bytes| Size(bytes.into()))
                        .ok_or_else(|| format!("{text} is no size, such as 32kb"))
                };
                Ok(Self::Bucket(Bucket { rate, burst: size(burst)?, queue: size(limit)? }))
            }
            _ => other(),
        }
    }
}

impl fmt::Display for Form {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Own(kind) => out.write_str(kind),
            Self::Bucket(Bucket { rate, burst, queue }) => {
                let bits = rate.bits_per_second().round() as u64;
                let units = [(1_000_000_000, "gbit"), (1_000_000, "mbit"), (1_000, "kbit"), (1, "bit")];
                write!(out, "tbf rate {} burst {} limit {}", whole(bits, units), sized(*burst), sized(*queue))
            }
            Self::Queue(Queue { kind, options: None }) => out.write_str(kind),
            Self::Queue(Queue { kind, options: Some(options) }) => match options.first_chunk::<4>() {
                Some(limit) if kind == "pfifo" => write!(out, "pfifo limit {}", u32::from_ne_bytes(*limit)),
                Some(limit) if kind == "bfifo" => {
                    write!(out, "bfifo limit {}", sized(Size(u32::from_ne_bytes(*limit).into())))
                }
                _ => {
                    write!(out, "{kind} options ")?;
                    options.iter().try_for_each(|byte| write!(out, "{byte:02x}"))
                }
            },
        }
    }
}

/// A token bucket as the kernel gives it.  Source: `linux/pkt_sched.h`, `struct tc_tbf_qopt`: rate and peak rate of 12
/// bytes each (cell_log, linklayer, overhead, cell_align, mpu, rate), then limit, buffer (ticks) and mtu.
fn bucket(options: &[u8]) -> Result<Bucket, String> {
    let said = attributes(options);
    let of = |wanted| said.iter().find(|(kind, _)| *kind == wanted).map(|(_, value)| *value);
    let parameters = of(1).filter(|bytes| bytes.len() >= 36).ok_or("tbf does not say its parameters")?;
    let word = |at: usize| {
        let bytes = [parameters[at], parameters[at + 1], parameters[at + 2], parameters[at + 3]];
        u64::from(u32::from_ne_bytes(bytes))
    };
    let wide = of(4).and_then(|bytes| Some(u64::from_ne_bytes(bytes.try_into().ok()?)));
    let bytes_per_second = wide.unwrap_or_else(|| word(8));
    if word(20) != 0 || of(5).is_some() {
        return Err("it is tbf with a peak rate".to_owned());
    }
    // 0 and 1 count packets as they are; 2 is ATM.
    if parameters[1] > 1 || parameters[2..4] != [0, 0] || parameters[6..8] != [0, 0] {
        return Err("it is tbf with an overhead, a least packet or cells".to_owned());
    }
    let burst = burst(word(28), bytes_per_second).ok_or("its burst is too large")?;
    let rate = Rate::from_bits_per_second(bytes_per_second as f64 * 8.0);
    Ok(Bucket { rate, burst: Size(burst), queue: Size(word(24)) })
}

/// The least bytes that the kernel makes this many ticks of, so that a burst is put back as it was. Unit: bytes.
fn burst(ticks: u64, bytes_per_second: u64) -> Option<u64> {
    let least = (u128::from(ticks) * TICK_NS * u128::from(bytes_per_second)).div_ceil(1_000_000_000);
    let least = u64::try_from(least).ok()?;
    // What passes in a nanosecond, which is what the kernel's division may lose.
    let most = least.checked_add(bytes_per_second / 1_000_000_000 + 1)?;
    Some((least..=most).find(|bytes| kernels_ticks(*bytes, bytes_per_second) == Some(ticks)).unwrap_or(least))
}

/// How many ticks the kernel says that these bytes take: it multiplies by a rounded reciprocal.
///
/// Source: Linux, `psched_ratecfg_precompute` and `psched_l2t_ns`.
fn kernels_ticks(bytes: u64, bytes_per_second: u64) -> Option<u64> {
    let (mut factor, mut shift) = (1_000_000_000_u64, 0);
    loop {
        let multiplier = factor.checked_div(bytes_per_second)?;
        if multiplier >> 31 & 1 == 1 || factor >> 63 == 1 {
            let ns = (u128::from(bytes) * u128::from(multiplier)) >> shift;
            return u64::try_from(ns / TICK_NS).ok();
        }
        (factor, shift) = (factor << 1, shift + 1);
    }
}

/// A number in the largest of `units` in which it is whole.
fn whole<const N: usize>(number: u64, units: [(u64, &str); N]) -> String {
    let unit = units.into_iter().find(|(unit, _)| number > 0 && number.is_multiple_of(*unit));
    let (unit, name) = unit.unwrap_or((1, units[N - 1].1));
    format!("{}{name}", number / unit)
}

fn sized(size: Size) -> String {
    whole(size.bytes(), [(1 << 20, "mb"), (1 << 10, "kb"), (1, "b")])
}

/// A number and its unit.
fn parted(text: &str) -> Option<(u64, String)> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    Some((text[..digits].parse().ok()?, text[digits..].to_ascii_lowercase()))
}

/// A rate as tc(8) reads it: powers of 1000, `bit` for bits a second and `bps` for bytes a second.
fn rate(text: &str) -> Option<Rate> {
    let (number, unit) = parted(text)?;
    let bits = match unit.as_str() {
        "" | "bit" => 1,
        "kbit" => 1_000,
        "mbit" => 1_000_000,
        "gbit" => 1_000_000_000,
        "bps" => 8,
        "kbps" => 8_000,
        "mbps" => 8_000_000,
        "gbps" => 8_000_000_000_u64,
        _ => return None,
    };
    let bits = number.checked_mul(bits).filter(|bits| *bits >= 8)?;
    // The kernel counts whole bytes.
    Some(Rate::from_bits_per_second((bits / 8 * 8) as f64))
}

/// A size as tc(8) reads it: powers of 1024. Unit: bytes.
fn size(text: &str) -> Option<u32> {
    let (number, unit) = parted(text)?;
    let bytes = match unit.as_str() {
        "" | "b" => 1,
        "k" | "kb" => 1 << 10,
        "m" | "mb" => 1 << 20,
        "g" | "gb" => 1 << 30,
        _ => return None,
    };
    u32::try_from(number.checked_mul(bytes)?).ok()
}

fn bytes_of(hex: &str) -> Option<Vec<u8>> {
    let good = hex.len().is_multiple_of(2) && hex.bytes().all(|byte| byte.is_ascii_hexdigit());
    let pair = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).ok();
    good.then(|| (0..hex.len()).step_by(2).map(pair).collect()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_is_read_the_same() {
        for text in [
            "pfifo_fast",
            "noqueue",
            "pfifo limit 7",
            "bfifo limit 3kb",
            "fq_codel",
            "fq options 08000100",
            "tbf rate 100mbit burst 32kb limit 128kb",
            "tbf rate 1234568bit burst 1501b limit 3mb",
        ] {
            assert_eq!(text.parse::<Form>().expect(text).to_string(), text);
        }
        let same: Form = "tbf limit 131072 rate 12500kbps burst 32768b".parse().expect("good");
        assert_eq!(same.to_string(), "tbf rate 100mbit burst 32kb limit 128kb");
    }

    #[test]
    fn what_no_kernel_takes_is_refused() {
        for text in [
            "",
            "htb",
            "pfifo",
            "pfifo limit",
            "pfifo limit -1",
            "pfifo limit 4294967296",
            "tbf rate 1mbit",
            "tbf rate 7bit burst 1kb limit 1kb",
            "tbf rate 1mbit burst 0 limit 1kb",
            "fq options 0",
            "fq options zz",
            "tbf rate 1mbit burst 5gb limit 1kb",
            "tbf rate 99999999999999gbit burst 1kb limit 1kb",
            "fq options 0é",
        ] {
            assert!(text.parse::<Form>().is_err(), "{text:?}");
        }
    }

    /// What a kernel gives of `rate 100mbit burst 32kb limit 128kb`: 12,500,000 bytes a second, and a burst that takes
    /// 2.62144 ms, 40,960 ticks of 64 ns, of which the kernel's division loses one.
    #[test]
    fn a_bucket_of_the_kernel_has_its_burst_in_bytes() {
        for ticks in [40_960_u32, 40_959] {
            let mut options = [40_u16, 1].map(u16::to_ne_bytes).concat();
            options.extend([0, 1, 0, 0, 0xff, 0xff, 0, 0]);
            options.extend(12_500_000_u32.to_ne_bytes());
            options.extend([0; 12]);
            options.extend([131_072, ticks, 0].map(u32::to_ne_bytes).concat());
            let text = Form::read("tbf", &options).expect("it is known").to_string();
            assert_eq!(text, "tbf rate 100mbit burst 32kb limit 128kb");
            options[4 + 12 + 8] = 1;
            assert!(Form::read("tbf", &options).expect_err("a peak").contains("peak rate"));
            assert!(Form::read("tbf", &options[..20]).is_err());
        }
    }

    #[test]
    fn a_burst_may_differ_by_a_tick() {
        let form =
            |burst: u64| format!("tbf rate 10gbit burst {burst}b limit 1mb").parse::<Form>().expect("good");
        assert!(form(100_000).is_like(&form(100_080)));
        assert!(!form(100_000).is_like(&form(100_082)));
    }
}
