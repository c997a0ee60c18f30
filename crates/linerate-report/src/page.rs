//! A list of sections as one page that needs nothing else: no network, no other file, and no script needed to read it.

use askama::Template;
use serde::Serialize;

use crate::error::RenderError;
use crate::figure::Figure;
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

/// What the tooltips show.
#[derive(Default, Serialize)]
struct Hover {
    /// By graph, in the order of the page.
    graphs: Vec<Vec<HoverLayer>>,
}

/// A curve in a graph.
#[derive(Serialize)]
struct HoverLayer {
    /// Its number: of curves of one name in one section it is the same, so that they are shown and hidden together.
    curve: usize,
    name: String,
    /// Where its points lie, in units of the graph.
    places: Vec<[i32; 2]>,
    /// Lines of the tooltip for each point.
    points: Vec<Vec<String>>,
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
    let Document { title, mut sections } = document;
    let hover = numbered(&mut sections);
    let mut style = include_str!("../templates/page.css").to_owned();
    style.extend(maps.iter().map(|maps| maps.style.as_str()));
    let page = Page {
        title,
        style,
        script: include_str!("../templates/page.js"),
        // It cannot end the script element that it stands in.
        hover: serde_json::to_string(&hover)?.replace('<', "\\u003c"),
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

/// Numbers the graphs and their curves, and gives what their tooltips show.
fn numbered(sections: &mut [Section]) -> Hover {
    let mut hover = Hover::default();
    let mut numbers = 0;
    for section in sections {
        let mut names: Vec<(String, usize)> = Vec::new();
        for figure in section.items.iter_mut().filter_map(Item::chart) {
            figure.graph = hover.graphs.len();
            for layer in &mut figure.layers {
                let known = names.iter().find(|(name, _)| *name == layer.name).map(|(_, number)| *number);
                layer.number = known.unwrap_or(numbers);
                if known.is_none() {
                    names.push((layer.name.clone(), numbers));
                    numbers += 1;
                }
            }
            hover.graphs.push(layers(figure));
        }
    }
    hover
}

fn layers(figure: &Figure) -> Vec<HoverLayer> {
    let layer = |layer: &crate::figure::Layer| HoverLayer {
        curve: layer.number,
        name: layer.name.clone(),
        places: layer.aims.iter().map(|aim| [aim.x, aim.y]).collect(),
        points: layer.aims.iter().map(|aim| aim.lines.clone()).collect(),
    };
    figure.layers.iter().map(layer).collect()
}

impl Item {
    const fn chart(&mut self) -> Option<&mut Figure> {
        match self {
            Self::Chart(figure) => Some(figure),
            _ => None,
        }
    }
}
