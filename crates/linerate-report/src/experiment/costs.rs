//! What cells cost against what they give.

use linerate_analysis::experiment::{Costs, Findings, Offer};
use linerate_analysis::figures::Better;

use super::axes::{around, from_zero};
use super::draw::Kind;
use super::scatter::{self, Spot};
use super::{views, words};
use crate::columns::Column;
use crate::figure::{Figure, Title};
use crate::plot::{Shape, Sign};

/// The chart: merit upwards, cost to the right, and the offers that nothing beats joined. Absent without offers.
pub(super) fn figure(findings: &Findings, costs: &Costs) -> Option<Figure> {
    if costs.offers.is_empty() {
        return None;
    }
    let spots: Vec<Spot> = costs.offers.iter().map(|offer| spot(findings, costs, offer)).collect();
    let across: Vec<f64> = spots.iter().map(|it| it.at.0).collect();
    let up: Vec<f64> =
        spots.iter().flat_map(|it| [it.at.1].into_iter().chain(it.interval.into_iter().flatten())).collect();
    let less =
        findings.figures.iter().any(|it| it.figure.title == costs.merit && it.figure.better == Better::Less);
    let side = if less { "down" } else { "up" };
    let title = Title {
        id: "costs".to_owned(),
        title: format!("{} against cost", costs.merit),
        caption: format!("Better is {side} and to the left. Joined: what nothing else beats."),
    };
    let axes = [
        &from_zero(&format!("cost ({} of {})", costs.currency, costs.date), &across),
        &around(&costs.merit, &costs.unit, &up),
    ];
    Some(scatter::figure(title, axes, &spots).explained(&[
        (Sign::Shape(Shape::Ring), "Hollow: beaten by something that gives more for less."),
        (Sign::Shape(Shape::Diamond), "Diamond: beaten, but within the intervals."),
    ]))
}

fn spot(findings: &Findings, costs: &Costs, offer: &Offer) -> Spot {
    let name = words::cell(findings, offer.cell);
    let merit = words::estimate(offer.merit, offer.interval, &costs.unit);
    Spot {
        at: (offer.cost, offer.merit),
        interval: offer.interval,
        kind: match (offer.beaten_by.is_empty(), offer.uncertain) {
            (true, _) => Kind::Plain,
            (false, true) => Kind::Differs,
            (false, false) => Kind::Pale,
        },
        lines: vec![
            name,
            format!("{merit} for {} {}", words::money(offer.cost), costs.currency),
            format!("beaten by {}", views::beaten(findings, offer)),
        ],
        name: words::brief(findings, offer.cell),
    }
}

/// A part of a bill: its name, how many, and what they cost together.
type Item = (String, u32, f64);

/// What is bought in each cell, part by part.
pub(super) fn bills(findings: &Findings, costs: &Costs) -> Vec<Column> {
    let rows =
        || costs.offers.iter().flat_map(|offer| offer.bill.items.iter().map(move |item| (offer, item)));
    let cells = |of: &dyn Fn(&Offer, &Item) -> String| {
        rows().map(|(offer, item)| of(offer, item)).collect::<Vec<String>>()
    };
    vec![
        Column::of_words("cell", 0, cells(&|offer, _| words::cell(findings, offer.cell))),
        Column::new("hosts", 0, cells(&|offer, _| offer.bill.hosts.to_string())),
        Column::of_words("part", 0, cells(&|_, (part, _, _)| part.clone())),
        Column::new("number", 0, cells(&|_, (_, number, _)| number.to_string())),
        Column::new(words::heading(&costs.currency), 0, cells(&|_, (_, _, cost)| words::money(*cost))),
    ]
}
