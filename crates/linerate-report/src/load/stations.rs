//! Tables of a single run: stations and queues.

use linerate_sim::ethernet::network::QueueReport;
use linerate_sim::fabric::Loss;
use linerate_sim::load::{LoadOutcome, StationOutcome};

use super::super::columns::Column;
use super::super::text::{digits, percent, plain};
use super::words::NOTHING;

/// More senders than this are shown by their extremes only.
pub(super) const MOST_STATIONS: usize = 16;

/// Of many stations that send those that got the most and the least: their places.
pub(super) fn extremes(run: &LoadOutcome) -> Option<Vec<usize>> {
    let mut senders: Vec<(usize, &StationOutcome)> =
        run.stations.iter().enumerate().filter(|(_, station)| station.sends).collect();
    if senders.len() <= MOST_STATIONS {
        return None;
    }
    let rate = |station: &StationOutcome| station.throughput.bits_per_second();
    senders
        .sort_by(|(one, first), (other, second)| rate(second).total_cmp(&rate(first)).then(one.cmp(other)));
    let half = MOST_STATIONS / 2;
    senders.drain(half..senders.len() - half);
    Some(senders.into_iter().map(|(place, _)| place).collect())
}

/// A station's part of a run's throughput.
pub(super) fn share(run: &LoadOutcome, station: &StationOutcome) -> f64 {
    let all = run.throughput().bits_per_second();
    if all > 0.0 { station.throughput.bits_per_second() / all } else { 0.0 }
}

/// A row a station.
pub(super) fn station_columns(run: &LoadOutcome) -> Vec<Column> {
    type Show<'a> = &'a dyn Fn(&StationOutcome) -> String;
    let delay = |station: &StationOutcome| {
        station.delay.map_or_else(|| NOTHING.to_owned(), |delay| digits(delay.as_us()))
    };
    let lost = |cause: Loss| {
        move |station: &StationOutcome| station.lost.get(&cause).copied().unwrap_or(0).to_string()
    };
    let columns: [(&str, u8, Show<'_>); 15] = [
        ("station", 0, &|station| station.station.to_string()),
        ("Mb/s", 0, &|station| digits(station.throughput.as_mbps())),
        ("share", 1, &|station| percent(share(run, station))),
        ("delay us", 1, &delay),
        ("delivered", 1, &|station| station.delivered.to_string()),
        ("offered", 4, &|station| station.offered.to_string()),
        ("lost excessive", 2, &lost(Loss::ExcessiveCollisions)),
        ("lost late", 2, &lost(Loss::LateCollision)),
        ("lost overflow", 2, &lost(Loss::Overflow)),
        ("lost error", 2, &lost(Loss::Error)),
        ("collisions", 3, &|station| station.mac.collisions.to_string()),
        ("late", 3, &|station| station.mac.late_collisions.to_string()),
        ("PAUSE in", 3, &|station| station.mac.pause_received.to_string()),
        ("PAUSE out", 3, &|station| station.mac.pause_sent.to_string()),
        ("paused us", 3, &|station| digits(station.mac.paused.as_us())),
    ];
    let column = |(heading, expendable, show): (&str, u8, Show<'_>)| {
        Column::new(heading, expendable, run.stations.iter().map(show).collect())
    };
    columns.into_iter().map(column).collect()
}

/// A row a queue.
pub(super) fn queue_columns(run: &LoadOutcome) -> Vec<Column> {
    let column = |heading, expendable, show: &dyn Fn(&QueueReport) -> String| {
        Column::new(heading, expendable, run.queues.iter().map(show).collect())
    };
    let mut columns = vec![
        column("queue", 0, &|queue| plain(&queue.name)),
        column("peak B", 0, &|queue| queue.peak.to_string()),
        column("mean B", 1, &|queue| format!("{:.0}", queue.mean)),
        column("room B", 2, &|queue| queue.capacity.to_string()),
        column("overflow", 1, &|queue| queue.overflow.to_string()),
    ];
    if run.queues.iter().any(|queue| queue.marked + queue.early > 0) {
        columns.push(column("marked", 2, &|queue| queue.marked.to_string()));
        columns.push(column("lost early", 2, &|queue| queue.early.to_string()));
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    fn cells(columns: &[Column], heading: &str) -> String {
        let found = columns.iter().find(|column| column.heading == heading);
        found.unwrap_or_else(|| panic!("there is {heading}")).cells.join(" ")
    }

    #[test]
    fn a_station_has_what_it_sent_lost_and_waited_for() {
        let mut run = fixture::outcome(2, 0.9, 1);
        run.stations[1].delay = None;
        run.stations[1].lost = [(Loss::LateCollision, 1), (Loss::Error, 2)].into();
        let columns = station_columns(&run);
        for (heading, expected) in [
            ("station", "0 1"),
            ("Mb/s", "300 600"),
            ("share", "33.3 % 66.7 %"),
            ("delay us", "100 -"),
            ("delivered", "1100 1100"),
            ("offered", "1200 1200"),
            ("lost excessive", "3 0"),
            ("lost late", "0 1"),
            ("lost overflow", "7 0"),
            ("lost error", "0 2"),
            ("collisions", "400 401"),
            ("late", "2 2"),
            ("PAUSE in", "6 6"),
            ("PAUSE out", "5 5"),
            ("paused us", "700 700"),
        ] {
            assert_eq!(cells(&columns, heading), expected, "{heading}");
        }
    }

    #[test]
    fn a_queue_has_its_levels_and_what_found_no_room() {
        let columns = queue_columns(&fixture::outcome(2, 0.9, 1));
        for (heading, expected) in [
            ("queue", "switch 0 port 0 out switch 0 port 1 out"),
            ("peak B", "65536 131072"),
            ("mean B", "20000 40000"),
            ("room B", "131072 131072"),
            ("overflow", "7 7"),
        ] {
            assert_eq!(cells(&columns, heading), expected, "{heading}");
        }
    }

    #[test]
    fn of_more_senders_than_sixteen_the_extremes_are_chosen() {
        let chosen = |count| {
            let mut run = fixture::outcome(count, 0.9, 1);
            run.stations[0].sends = false;
            extremes(&run)
        };
        assert_eq!(chosen(17), None, "sixteen send");
        assert_eq!(chosen(20), Some(vec![19, 18, 17, 16, 15, 14, 13, 12, 8, 7, 6, 5, 4, 3, 2, 1]));
    }
}
