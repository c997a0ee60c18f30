//! A list of sections as one page that needs nothing else: no network, no other file, and no script needed to read it.

use askama::Template;
use serde::Serialize;

use crate::error::RenderError;
use crate::figure::{Ceiling, Figure, Layer};
use crate::plot::{Axis, Mark, short};
use crate::section::{Document, Item, Section};

#[derive(Template)]
#[template(path = "page.html")]
struct Page {
    title: String,
    style: String,
    script: &'static str,
    /// Points for the tooltip, safe inside a script element.
    hover: String,
    maps: Option<Script>,
    sections: Vec<SectionView>,
}

/// A section with a name of its own in the page.
struct SectionView {
    anchor: String,
    heading: String,
    /// The numbers of its runs.
    runs: String,
    items: Vec<Item>,
}

/// What the script draws charts anew from, and what the tooltips show.
#[derive(Default, Serialize)]
struct Hover<'a> {
    /// In the order of the page.
    graphs: Vec<HoverGraph<'a>>,
}

/// A chart.
#[derive(Serialize)]
struct HoverGraph<'a> {
    x: &'a Axis,
    y: &'a Axis,
    ceilings: &'a [Ceiling],
    layers: Vec<HoverLayer<'a>>,
}

/// A curve in a graph.
#[derive(Serialize)]
struct HoverLayer<'a> {
    /// Its number: of curves of one name in one section it is the same, so that they are shown and hidden together.
    curve: usize,
    name: &'a str,
    dashes: String,
    marks: &'a [Mark],
    /// Where its points lie, in units of the axes.
    values: Vec<[f64; 2]>,
    /// Lines of the tooltip for each point.
    points: Vec<&'a [String]>,
}

/// What a page has besides for some of its items.
pub(crate) struct Script {
    /// Safe inside a script element.
    pub(crate) data: String,
    pub(crate) style: String,
    pub(crate) script: &'static str,
}

/// `document` as one HTML page. `maps` is what its heat maps need, if it has some.
///
/// # Errors
///
/// [`RenderError::Json`] or [`RenderError::Page`] when the page cannot be filled.
pub(crate) fn html(document: Document, maps: Option<Script>) -> Result<String, RenderError> {
    let Document { title, mut sections, .. } = document;
    number(&mut sections);
    let hover = data(&sections)?;
    let mut style = include_str!("../templates/page.css").to_owned();
    style.extend(maps.iter().map(|maps| maps.style.as_str()));
    let page = Page {
        title,
        style,
        script: concat!(include_str!("../templates/marks.js"), include_str!("../templates/page.js")),
        hover,
        maps,
        sections: anchored(sections),
    };
    Ok(page.render()?)
}

/// Each section with a name that no other has.
fn anchored(sections: Vec<Section>) -> Vec<SectionView> {
    let mut taken: Vec<&'static str> = Vec::new();
    let view = |section: Section| {
        taken.push(section.id);
        let nth = taken.iter().filter(|id| **id == section.id).count();
        SectionView {
            anchor: if nth == 1 { section.id.to_owned() } else { format!("{}-{nth}", section.id) },
            heading: section.heading,
            runs: section.runs.iter().map(usize::to_string).collect::<Vec<_>>().join(" "),
            items: section.items,
        }
    };
    sections.into_iter().map(view).collect()
}

/// Numbers the graphs and their curves.
fn number(sections: &mut [Section]) {
    let (mut graphs, mut curves) = (0, 0);
    for section in sections {
        let mut names: Vec<(String, usize)> = Vec::new();
        Figure::share_legends(section.items.iter_mut().filter_map(Item::chart).collect());
        for figure in section.items.iter_mut().filter_map(Item::chart) {
            figure.graph = graphs;
            graphs += 1;
            for layer in &mut figure.layers {
                let known = names.iter().find(|(name, _)| *name == layer.name).map(|(_, number)| *number);
                layer.number = known.unwrap_or(curves);
                if known.is_none() {
                    names.push((layer.name.clone(), curves));
                    curves += 1;
                }
            }
        }
    }
}

/// What the script needs, as JSON that is safe inside a script element.
fn data(sections: &[Section]) -> Result<String, RenderError> {
    let figures = sections.iter().flat_map(|section| &section.items).filter_map(|item| match item {
        Item::Chart(figure) => Some(figure),
        _ => None,
    });
    let hover = Hover { graphs: figures.map(graph).collect() };
    Ok(serde_json::to_string(&hover)?.replace('<', "\\u003c"))
}

fn graph(figure: &Figure) -> HoverGraph<'_> {
    let Figure { x, y, ceilings, layers, .. } = figure;
    HoverGraph { x, y, ceilings, layers: layers.iter().map(of_layer).collect() }
}

fn of_layer(layer: &Layer) -> HoverLayer<'_> {
    HoverLayer {
        curve: layer.number,
        name: &layer.name,
        dashes: layer.look.thin_dashes(),
        marks: &layer.marks,
        values: layer.aims.iter().map(|aim| [short(aim.at.0), short(aim.at.1)]).collect(),
        points: layer.aims.iter().map(|aim| &aim.lines[..]).collect(),
    }
}

impl Item {
    const fn chart(&mut self) -> Option<&mut Figure> {
        match self {
            Self::Chart(figure) => Some(figure),
            _ => None,
        }
    }
}
