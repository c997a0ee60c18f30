//! Numbers as people read them.

use linerate_core::units::Span;

/// A time. Unit of `ps`: picoseconds.
pub(super) fn us(ps: f64) -> String {
    Span::from_ps_rounded(ps.max(0.0)).to_string()
}

/// A share of 1.
pub(super) fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent > 0.0 && percent < 0.95 { format!("{percent:.1} %") } else { format!("{percent:.0} %") }
}
