use super::super::fixture;
use super::*;

#[test]
fn a_run_shows_its_stations_its_delays_and_its_queues() {
    let figures = figures(&fixture::outcome(4, 0.9, 1));
    let ids: Vec<&str> = figures.iter().map(|figure| figure.id.as_str()).collect();
    assert_eq!(ids, ["stations", "losses", "delays", "queues"]);
    assert!(figures[2].caption.contains("The 0.8 % that were lost have no delay"), "{}", figures[2].caption);
    assert_eq!(figures[0].layers[0].svg.matches("<polygon").count(), 4);
    assert_eq!(figures[0].layers[0].aims.len(), 4);
    let shapes = figures[3]
        .layers
        .iter()
        .map(|layer| [layer.svg.matches("<polyline").count(), layer.svg.matches("<polygon").count()]);
    assert_eq!(shapes.collect::<Vec<_>>(), [[4, 0], [4, 0], [0, 4]], "room, peak, average");
    // A station with more has a higher bar, which on the page is further up.
    let aims = &figures[0].layers[0].aims;
    assert!(aims.windows(2).all(|pair| pair[0].y > pair[1].y));
}

#[test]
fn a_distribution_ends_at_the_median_and_the_longest_where_they_are() {
    let run = fixture::outcome(4, 0.9, 1);
    let figure = delays(&run).expect("it can be drawn");
    let aims = &figure.layers[0].aims;
    assert_eq!(aims.len(), 201);
    let median = digits(run.delay.p50.expect("there are delays").as_us());
    assert_eq!(aims[100].lines, [format!("50.0 % of the frames took {median} us at most")]);
}

#[test]
fn a_run_in_which_nothing_arrived_is_drawn_without_delays() {
    let mut run = fixture::outcome(2, 0.0, 1);
    run.delays = linerate_sim::load::Delays::default();
    run.queues.clear();
    let figures = figures(&run);
    assert_eq!(figures.len(), 2, "stations and what they lost");
}

/// A bar reaches 0.38 of the distance to either side.
#[test]
fn a_bar_stands_over_its_number() {
    let bar = Bar { number: 3, height: 1.0, lines: Vec::new() };
    assert_eq!(sides(&bar), [2.62, 3.38]);
}

#[test]
fn a_share_is_of_what_all_stations_got() {
    let mut run = fixture::outcome(4, 0.9, 1);
    let shares = |run: &LoadOutcome| run.stations.iter().map(|it| share(run, it)).collect::<Vec<_>>();
    assert!(shares(&run).iter().zip([0.1, 0.2, 0.3, 0.4]).all(|(got, part)| (got - part).abs() < 1e-9));
    run.stations.iter_mut().for_each(|it| it.throughput = linerate_core::units::Rate::from_mbps(0.0));
    assert_eq!(shares(&run), [0.0; 4]);
}

#[test]
fn losses_are_charted_if_there_are_any_and_said_of_the_delays() {
    let mut run = fixture::outcome(4, 0.9, 1);
    let losses = super::losses(&run).expect("it can be drawn");
    // 10 of 1200 frames of each station.
    assert_eq!(losses.layers[0].aims[0].lines, ["station 0", "10 of 1200 frames, 0.8 %"]);
    run.lost.clear();
    assert!(super::losses(&run).is_none());
    assert!(delay_caption(&run).ends_with("since the frame before left it."));
}
