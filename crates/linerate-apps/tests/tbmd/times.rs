//! Modelled times on the ideal network are the closed form. About 1 s.

use linerate_apps::tbmd::Tbmd;
use linerate_core::comm::ideal::Network;
use linerate_core::units::Span;

use crate::ranks::{near, run};

/// 50 million operations in a second. Unit: picoseconds.
const OPERATION_PS: f64 = 20_000.0;

/// T = K (2 n^3 / (P flops) + (P - 1) (alpha + 8 n^2 beta / P) + 2 ceil(log2 P) (alpha + 16 beta)), and once a sum of the
/// forces: 4.65 s with 11.76 MB/s, 4.11 s with 40, 3.88 s at 19 us and 515 MB/s.
#[rstest::rstest]
#[case(140, 85_034, 4.65)]
#[case(140, 25_000, 4.11)]
#[case(19, 1_942, 3.88)]
fn an_evaluation_takes_what_the_closed_form_says(
    #[case] latency_us: u64,
    #[case] per_byte_ps: u64,
    #[case] published: f64,
) {
    let network = Network { latency: Span::from_us(latency_us), per_byte: Span::from_ps(per_byte_ps) };
    let plan = Tbmd { temperature: 0.0, steps: 0, ..Tbmd::default() };
    for ranks in [1, 2, 4, 8] {
        let rank = run(&plan, ranks, network, OPERATION_PS).swap_remove(0).expect("it ends well");
        let found = rank.1.step_ps.expect("the evaluation was recorded") as f64 * 1e-12;
        let [alpha, beta] = [latency_us as f64 * 1e-6, per_byte_ps as f64 * 1e-12];
        let (p, n) = (ranks as f64, 256.0_f64);
        let tree = 2.0 * p.log2();
        let product = 2.0 * n.powi(3) / (p * 50e6) + (p - 1.0) * (alpha + 8.0 * n * n * beta / p);
        let expected = 23.0 * (product + tree * (alpha + 16.0 * beta));
        let forces = tree * (alpha + 8.0 * 194.0 * beta);
        near("evaluation", found, expected + forces, 1e-9 * expected);
        if ranks == 4 {
            near("published", expected, published, 0.005);
        }
    }
}
