//! One caution for each cause: a busy machine shows at both ends and in several ways, and is one thing to mend.

use std::borrow::Cow;
use std::mem::{Discriminant, discriminant};

use super::{Caution, Side};

/// What is doubtful for one cause.
#[derive(Clone, Debug, PartialEq)]
pub struct Merged {
    /// The kind of the first caution of this cause.
    pub cause: Discriminant<Caution>,
    /// What was seen.
    pub finding: String,
    /// What to do about it.
    pub advice: Cow<'static, str>,
}

/// One for each cause among `cautions`, in their order.
#[must_use]
pub fn merged(cautions: &[Caution]) -> Vec<Merged> {
    let mut groups: Vec<(Discriminant<Caution>, Vec<&Caution>)> = Vec::new();
    for caution in cautions {
        let cause = caution.cause();
        match groups.iter_mut().find(|(other, _)| *other == cause) {
            Some((_, group)) => group.push(caution),
            None => groups.push((cause, vec![caution])),
        }
    }
    groups.into_iter().flat_map(|(cause, group)| of_cause(cause, &group)).collect()
}

/// The cautions of one cause: of a busy machine one, and else one for each advice.
fn of_cause(cause: Discriminant<Caution>, group: &[&Caution]) -> Vec<Merged> {
    if let Some(finding) = busy(group) {
        return vec![Merged { cause, finding, advice: group[0].advice() }];
    }
    let mut merged: Vec<Merged> = Vec::new();
    for caution in group {
        let (finding, advice) = (caution.finding(), caution.advice());
        match merged.iter_mut().find(|other| other.advice == advice) {
            Some(other) => other.finding = format!("{}; {finding}", other.finding),
            None => merged.push(Merged { cause, finding, advice }),
        }
    }
    merged
}

/// How much each end lost to other work, in one sentence. Absent if that is not what `group` is about, or if it has
/// one caution, which says it best.
fn busy(group: &[&Caution]) -> Option<String> {
    let mut ends: Vec<(Side, f64)> = Vec::new();
    for caution in group {
        let (Caution::Noisy { side, share, .. } | Caution::Crowded { side, share }) = caution else {
            return None;
        };
        match ends.iter_mut().find(|(other, _)| other == side) {
            Some((_, most)) => *most = most.max(*share),
            None => ends.push((*side, *share)),
        }
    }
    if group.len() < 2 {
        return None;
    }
    let of_end = |(side, share): &(Side, f64)| format!("{side} {:.1} %", share * 100.0);
    let (first, others) = ends.split_first()?;
    let others: String = others.iter().map(|end| format!(", {}", of_end(end))).collect();
    Some(format!("{} lost {:.1} % of its time to other work{others}", first.0, first.1 * 100.0))
}

impl Caution {
    /// What it comes from: cautions of one cause have the same, whichever end they speak of.
    fn cause(&self) -> Discriminant<Self> {
        match self {
            Self::Crowded { side, share } => {
                discriminant(&Self::Noisy { side: *side, share: *share, longest: crate::units::Span::ZERO })
            }
            other => discriminant(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Span;

    #[test]
    fn a_busy_machine_is_one_line_whatever_it_shows_in() {
        let noisy = |side, share| Caution::Noisy { side, share, longest: Span::from_ms(2) };
        let crowded = |side, share| Caution::Crowded { side, share };
        let all = [
            noisy(Side::Local, 0.031),
            Caution::SameHost { apart: false },
            crowded(Side::Remote, 0.2),
            crowded(Side::Local, 0.05),
            noisy(Side::Remote, 0.1),
            noisy(Side::Other(2), 0.3),
        ];
        let merged = merged(&all);
        let findings: Vec<&str> = merged.iter().map(|one| one.finding.as_str()).collect();
        assert_eq!(
            findings,
            [
                "this host lost 5.0 % of its time to other work, the peer 20.0 %, peer 2 30.0 %",
                "both ends run on one host: this measures its memory and scheduler, not a network",
            ]
        );
    }

    #[test]
    fn what_is_alone_says_what_it_says() {
        for caution in [
            Caution::Noisy { side: Side::Local, share: 0.02, longest: Span::from_ms(1) },
            Caution::Crowded { side: Side::Remote, share: 0.02 },
            Caution::SameHost { apart: false },
        ] {
            let merged = merged(std::slice::from_ref(&caution));
            assert_eq!((merged.len(), merged[0].finding.clone()), (1, caution.finding()));
            assert_eq!(merged[0].advice, caution.advice());
        }
    }

    #[test]
    fn both_ends_of_one_cause_share_a_line_and_no_finding_is_lost() {
        let governor = |side, name: &str| Caution::Governor { side, governor: name.to_owned() };
        let all = [governor(Side::Local, "powersave"), governor(Side::Remote, "ondemand")];
        let [merged] = &merged(&all)[..] else { panic!("one cause") };
        assert!(all.iter().all(|caution| merged.finding.contains(&caution.finding())), "{merged:?}");
    }
}
