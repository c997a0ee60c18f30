//! The colours of heat maps. Lightness alone tells the order, so they serve any colour vision: the worse, the further
//! from the page's own colour.

use std::fmt::Write as _;

/// Colours of a heat map, from the best to the worst.
pub(crate) const STEPS: usize = 20;

type Colour = [u8; 3];

/// On white.
const LIGHT: [Colour; 5] = [[253, 243, 214], [247, 190, 118], [222, 100, 80], [146, 38, 94], [38, 10, 68]];
/// On black.
const DARK: [Colour; 5] = [[44, 33, 64], [104, 40, 104], [190, 70, 88], [242, 150, 90], [255, 244, 200]];
/// What was not measured, on white and on black.
const NONE: [&str; 2] = ["#c9c9cf", "#5a5a62"];

/// The colour of a step on white, as `#rrggbb`.
pub(crate) fn on_white(step: usize) -> String {
    colour(&LIGHT, step)
}

/// The colour on white of what was not measured.
pub(crate) const NONE_ON_WHITE: &str = NONE[0];

/// Whether text on this step needs the page's colour and not its ink.
pub(crate) const fn is_strong(step: usize) -> bool {
    step * 2 >= STEPS
}

fn colour(anchors: &[Colour], step: usize) -> String {
    let place = step.min(STEPS - 1) as f64 / (STEPS - 1) as f64 * (anchors.len() - 1) as f64;
    let first = (place as usize).min(anchors.len() - 2);
    let share = place - first as f64;
    let mixed = |nth: usize| {
        let [from, to] = [anchors[first][nth], anchors[first + 1][nth]].map(f64::from);
        (to - from).mul_add(share, from).round() as u8
    };
    format!("#{:02x}{:02x}{:02x}", mixed(0), mixed(1), mixed(2))
}

/// The colours of a page's heat maps, as variables `--m0` and on, and `--m-none`.
pub(crate) fn css() -> String {
    let [light, dark] = [(&LIGHT, NONE[0]), (&DARK, NONE[1])].map(|(anchors, none)| {
        let mut text = format!("--m-none: {none};");
        for step in 0..STEPS {
            write!(text, " --m{step}: {};", colour(anchors, step)).expect("a String takes everything");
        }
        text
    });
    let mut css = format!(
        ":root {{ {light} }}\n@media (prefers-color-scheme: dark) {{ :root:not([data-theme=\"light\"]) {{ {dark} }} }}\n:root[data-theme=\"dark\"] {{ {dark} }}\n"
    );
    for step in 0..STEPS {
        writeln!(css, ".m{step} {{ stroke: var(--m{step}); background: var(--m{step}); }}")
            .expect("a String takes everything");
    }
    css
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance, without the curve of sRGB: it only has to rise or fall.
    fn lightness(colour: &str) -> f64 {
        let part = |at: usize| f64::from(u8::from_str_radix(&colour[at..at + 2], 16).expect("two digits"));
        0.3 * part(1) + 0.6 * part(3) + 0.1 * part(5)
    }

    #[test]
    fn lightness_alone_tells_the_order() {
        for (anchors, sign) in [(&LIGHT, -1.0), (&DARK, 1.0)] {
            let all: Vec<f64> = (0..STEPS).map(|step| lightness(&colour(anchors, step)) * sign).collect();
            assert!(all.windows(2).all(|pair| pair[1] > pair[0] + 2.0), "{all:?}");
        }
    }

    #[test]
    fn every_step_has_a_variable_on_light_and_dark() {
        let css = css();
        assert_eq!(css.matches("--m19: ").count(), 3);
        assert_eq!(on_white(STEPS * 2), colour(&LIGHT, STEPS - 1), "there is nothing beyond the last");
    }
}
