//! The report as NetPIPE 3.x's `np.out`.

use std::fmt::Write as _;

use linerate_analysis::report::{Report, Timed};
use linerate_core::pattern::Pattern;

use crate::error::{RenderError, refuse_loads_alone};

/// NetPIPE's "Mbps": 2^20 bit/s, unlike Mb/s everywhere else here.
/// Source: NetPIPE 3.7.2, `netpipe.c`: `bps = bits / (t * 1024 * 1024)`.
const NETPIPE_MBPS: f64 = 1_048_576.0;

/// The one curve of `report` as `np.out`: for each timed size bytes, "Mbps" and one-way seconds.
///
/// The time is NetPIPE's own statistic, the least of the trials' means, not the median that is
/// shown elsewhere; so it compares with old files. As NetPIPE does with `-2`, an exchange counts
/// both directions: bytes and "Mbps" are doubled and the time is not halved.
///
/// # Errors
///
/// [`RenderError::OneCurve`] unless the report has exactly one curve, [`RenderError::NoCurve`] if
/// it has loads instead.
pub fn np(report: &Report) -> Result<String, RenderError> {
    refuse_loads_alone(report, "np")?;
    let [curve] = &report.curves[..] else {
        return Err(RenderError::OneCurve { curves: report.curves.len() });
    };
    let directions = match curve.pattern {
        Pattern::PingPong | Pattern::OneWay => 1,
        Pattern::Exchange => 2,
    };
    let lines = curve.timed().map(|(size, timed)| line(size * directions, &timed));
    Ok(lines.collect())
}

/// C's `"%8d %lf %12.8lf\n"`.
fn line(bytes: u64, timed: &Timed) -> String {
    let seconds = timed.least_mean_us / 1e6;
    let mbps = bytes as f64 * 8.0 / seconds / NETPIPE_MBPS;
    let mut line = String::new();
    writeln!(line, "{bytes:8} {mbps:.6} {seconds:12.8}").expect("a String takes every character");
    line
}

#[cfg(test)]
mod tests {
    use linerate_analysis::report::Report;

    use super::super::fixture::{self, GIGABIT, Made};
    use super::*;

    fn of(pattern: Pattern) -> String {
        np(&Report::new(vec![Made { pattern, ..GIGABIT }.run()])).expect("there is one curve")
    }

    #[test]
    fn lines_are_those_of_netpipe() {
        let text = of(Pattern::PingPong);
        assert_eq!(text.lines().next(), Some("       1 0.311949   0.00002446"));
        assert_eq!(text.lines().last(), Some(" 4194307 890.095533   0.03595122"));
        for line in text.lines() {
            let (bytes, rest) = line.split_at(8);
            let cells: Vec<&str> = rest.split_whitespace().collect();
            let bytes: f64 = bytes.trim().parse().expect(line);
            let [mbps, seconds]: [f64; 2] = [cells[0], cells[1]].map(|cell| cell.parse().expect("a number"));
            assert_eq!(cells[1].split_once('.').map(|(_, decimals)| decimals.len()), Some(8), "{line}");
            let suggested = bytes * 8.0 / NETPIPE_MBPS / seconds;
            assert!((mbps / suggested - 1.0).abs() < 1e-3, "{line}");
        }
    }

    #[test]
    fn an_exchange_counts_both_directions() {
        let (one, both) = (of(Pattern::PingPong), of(Pattern::Exchange));
        let cells = |text: &str| -> Vec<f64> {
            let line = text.lines().nth(50).expect("there are many");
            line.split_whitespace().map(|cell| cell.parse().expect("a number")).collect()
        };
        let (one, both) = (cells(&one), cells(&both));
        assert_eq!((both[0], both[2]), (one[0] * 2.0, one[2]));
        assert!((both[1] / one[1] - 2.0).abs() < 1e-6, "{both:?}");
    }

    #[test]
    fn more_than_one_curve_is_refused() {
        let error = np(&fixture::two()).expect_err("there are two");
        assert!(error.to_string().contains("report the runs one by one"), "{error}");
    }

    /// 8 x 2^20 bits in a second are 8 of NetPIPE's "Mbps", and a size has eight columns.
    #[test]
    fn a_megabit_of_netpipe_is_two_to_the_twentieth() {
        let (_, timed) = fixture::one().curves[0].timed().next().expect("a size");
        let timed = Timed { least_mean_us: 1e6, ..timed };
        assert_eq!(line(1 << 20, &timed), " 1048576 8.000000   1.00000000\n");
        assert_eq!(line(1, &timed), "       1 0.000008   1.00000000\n");
    }
}
