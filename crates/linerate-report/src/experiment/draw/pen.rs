//! The elements of a chart.

use std::fmt::Write as _;

use linerate_analysis::experiment::EffectVerdict;

use crate::text::escaped;

/// Half the size of a mark. Unit: pixels.
const RADIUS: f64 = 5.5;

/// What a mark says, by its shape and its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Kind {
    /// A triangle that points up.
    Better,
    /// A triangle that points down.
    Worse,
    /// A diamond.
    Differs,
    /// A circle.
    Plain,
    /// A hollow circle.
    Pale,
    /// A cross.
    Fails,
}

impl Kind {
    /// How an effect is marked.
    pub(in super::super) const fn of(verdict: EffectVerdict) -> Self {
        match verdict {
            EffectVerdict::Better => Self::Better,
            EffectVerdict::Worse => Self::Worse,
            EffectVerdict::Differs => Self::Differs,
            EffectVerdict::NotSeen | EffectVerdict::Untested => Self::Pale,
        }
    }

    /// The class of its colour.
    pub(in super::super) const fn class(self) -> &'static str {
        match self {
            Self::Better => "better",
            Self::Worse | Self::Fails => "worse",
            Self::Differs | Self::Plain => "accent",
            Self::Pale => "pale",
        }
    }
}

/// Which end of a text its place is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Anchor {
    Start,
    Middle,
    End,
}

impl Anchor {
    const fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Middle => "middle",
            Self::End => "end",
        }
    }
}

/// What a chart is drawn with.
#[derive(Default)]
pub(in super::super) struct Pen(String);

impl Pen {
    /// What was drawn.
    pub(super) fn svg(self) -> String {
        self.0
    }

    fn write(&mut self, element: std::fmt::Arguments<'_>) {
        self.0.write_fmt(element).expect("a String takes everything");
    }

    /// A text whose base line begins, or ends, at a place.
    pub(in super::super) fn text(&mut self, (x, y): (f64, f64), anchor: Anchor, class: &str, text: &str) {
        let (anchor, text) = (anchor.name(), escaped(text));
        self.write(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" class=\"{class}\">{text}</text>"
        ));
    }

    /// A line.
    pub(in super::super) fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        self.path(class, &[from, to]);
    }

    /// A line through these places.
    pub(in super::super) fn path(&mut self, class: &str, places: &[(f64, f64)]) {
        let through: Vec<String> = places.iter().map(|(x, y)| format!("{x:.1} {y:.1}")).collect();
        self.write(format_args!("<path class=\"{class}\" d=\"M{}\"/>", through.join("L")));
    }

    /// A rectangle of which no part shows but its fill, as dark as `shade` from 0 to 1.
    pub(in super::super) fn field(
        &mut self,
        class: &str,
        (x, y): (f64, f64),
        (width, height): (f64, f64),
        shade: f64,
    ) {
        self.write(format_args!(
            "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill-opacity=\"{shade:.3}\"/>"
        ));
    }

    /// A mark.
    pub(in super::super) fn mark(&mut self, kind: Kind, (x, y): (f64, f64)) {
        let r = RADIUS;
        let class = kind.class();
        match kind {
            Kind::Plain => self.write(format_args!(
                "<circle class=\"solid {class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{r}\"/>"
            )),
            Kind::Pale => self.write(format_args!(
                "<circle class=\"hollow {class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{:.1}\"/>",
                r - 1.0
            )),
            Kind::Better | Kind::Worse | Kind::Differs => {
                let up = if kind == Kind::Worse { -1.0 } else { 1.0 };
                let outline = match kind {
                    Kind::Differs => vec![(0.0, -r), (r, 0.0), (0.0, r), (-r, 0.0)],
                    _ => vec![(-r, r * up), (r, r * up), (0.0, -r * up)],
                };
                let outline: Vec<String> =
                    outline.iter().map(|(dx, dy)| format!("{:.1} {:.1}", x + dx, y + dy)).collect();
                self.write(format_args!("<path class=\"solid {class}\" d=\"M{}z\"/>", outline.join("L")));
            }
            Kind::Fails => {
                let (left, right, top, bottom) = (x - r, x + r, y - r, y + r);
                self.write(format_args!(
                    "<path class=\"bar {class}\" d=\"M{left:.1} {top:.1}L{right:.1} {bottom:.1}M{left:.1} {bottom:.1}L{right:.1} {top:.1}\"/>"
                ));
            }
        }
    }

    /// What `draw` draws, with a tooltip.
    pub(in super::super) fn tipped(&mut self, tip: &str, draw: impl FnOnce(&mut Self)) {
        self.write(format_args!("<g><title>{}</title>", escaped(tip)));
        draw(self);
        self.0.push_str("</g>");
    }
}
