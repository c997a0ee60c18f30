//! A size of which only the time is known: another tool's curve, that of an older linerate, or of a model whose hosts
//! cost nothing.

use super::bound::Bound;
use super::candidate::Candidate;
use super::facts::{Facts, Setting};
use super::words::{percent, us};

/// What the shape of the curve says: how much of the time is there whatever the size, and how much grows with it; and
/// how much of that the link takes, if it states its rate.
pub(super) fn candidates(setting: &Setting<'_>, facts: &Facts) -> Vec<Candidate> {
    let wire = facts.wire(setting);
    let link = match setting.link {
        Some(_) => {
            let says = format!("{} of {} on the link, with framing", us(wire), us(facts.time));
            Candidate::new(Bound::Link, wire / facts.time, says)
        }
        None => Candidate::unknown(Bound::Link, setting.no_link),
    };
    let grows = facts.growing_about().max(wire);
    let growing = (grows - wire) / facts.time;
    let fixed = (1.0 - grows / facts.time).max(0.0);
    let says = |what: &str, share: f64| format!("{} of the time {what}", percent(share));
    vec![
        link,
        Candidate::new(
            Bound::PerMessage,
            fixed,
            says("does not grow with the size: processors, wake-ups or the delay of the path", fixed),
        ),
        Candidate::new(
            Bound::PerByte,
            growing,
            says("grows with the size beside the link: a slower hop, copies, or a window", growing),
        ),
    ]
}
