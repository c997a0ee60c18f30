//! What passed, as aligned text for people.

use std::fmt::Write as _;

use linerate_core::units::Time;
use linerate_sim::tcp::Segment;

use super::path::Fate;

/// Something that happened at an end.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) at: Time,
    pub(crate) end: usize,
    pub(crate) what: What,
}

#[derive(Clone, Debug)]
pub(crate) enum What {
    /// By the application.
    Note(String),
    /// `window` is the field in bytes.
    Sent { segment: Segment, window: u64, fate: Fate },
}

/// A line an event: when it was sent, by which side, flags, positions, what it acknowledges, the
/// window in bytes, options, and when it arrived.
pub(crate) fn table(rows: &[Row]) -> String {
    let mut text = "        us from   flags  sequence    bytes     ack  window  arrives".to_owned();
    for row in rows {
        let side = ["client", "server"][row.end % 2];
        write!(text, "\n{:>10.1} {side} ", row.at.since(Time::ZERO).as_us()).expect("a String takes all");
        match &row.what {
            What::Note(note) => text.push_str(note),
            What::Sent { segment, window, fate } => segment_row(&mut text, segment, *window, *fate),
        }
    }
    text
}

fn segment_row(text: &mut String, segment: &Segment, window: u64, fate: Fate) {
    let flags = segment.flags;
    let letters = [
        (flags.syn, 'S'),
        (flags.fin, 'F'),
        (flags.push, 'P'),
        (flags.reset, 'R'),
        (flags.ece, 'E'),
        (flags.cwr, 'W'),
        (flags.ack, '.'),
    ];
    let letters: String = letters.iter().filter(|(is_set, _)| *is_set).map(|(_, letter)| letter).collect();
    let acknowledgement = if flags.ack { segment.acknowledgement.to_string() } else { "-".to_owned() };
    let arrives = match fate {
        Fate::Arrives(at) => format!("{:.1}", at.since(Time::ZERO).as_us()),
        Fate::Twice(first, second) => {
            format!("{:.1} {:.1}", first.since(Time::ZERO).as_us(), second.since(Time::ZERO).as_us())
        }
        Fate::Lost => "LOST".to_owned(),
        Fate::Overflow => "OVERFLOW".to_owned(),
    };
    let (sequence, length) = (segment.sequence, segment.length);
    write!(text, "{letters:<6} {sequence:>8} {length:>8} {acknowledgement:>7} {window:>7} {arrives:>8}")
        .expect("a String takes all");
    options(text, segment);
}

fn options(text: &mut String, segment: &Segment) {
    let mut words = Vec::new();
    words.extend(segment.mss.map(|bytes| format!("mss {bytes}")));
    words.extend(segment.window_scale.map(|shift| format!("wscale {shift}")));
    words.extend(segment.sack_permitted.then(|| "sack-permitted".to_owned()));
    words.extend(segment.timestamps.map(|[value, echo]| format!("ts {value}/{echo}")));
    words.extend(segment.sack.as_slice().iter().map(|[from, to]| format!("sack {from}-{to}")));
    if !words.is_empty() {
        write!(text, "  {}", words.join(", ")).expect("a String takes all");
    }
}
