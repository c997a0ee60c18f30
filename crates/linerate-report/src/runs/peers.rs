//! What both ends are called, and how quiet each was.

use linerate_core::run::{End, Path, Run};

use crate::text::{end_names, percent};

/// Headings of the columns of both ends: their names alone would not tell two alike apart. Of
/// several peers each has its `number`.
pub(super) fn headings(run: &Run, remote: End<'_>, path: &Path, number: Option<usize>) -> [String; 2] {
    let ends = end_names(run, remote, path);
    let peer = number.map_or_else(|| "the peer".to_owned(), |number| format!("peer {number}"));
    match ends {
        Some(stations) if run.model.is_some() => stations,
        Some([local, remote]) => [format!("{local} (this host)"), format!("{remote} ({peer})")],
        None => {
            ["This host".to_owned(), number.map_or_else(|| "The peer".to_owned(), |it| format!("Peer {it}"))]
        }
    }
}

/// How quiet the hosts were, as a sentence.
pub(super) fn noise(run: &Run) -> String {
    if run.model.is_some() {
        return "Simulated: no measurement noise.".to_owned();
    }
    let peers: Vec<End<'_>> = run.answering().map(|(remote, _)| remote).collect();
    let ends = || std::iter::once(run.local()).chain(peers.iter().copied());
    if ends().all(|end| end.observation.noise.known().is_none()) {
        return "How quiet the hosts were is not known.".to_owned();
    }
    let grade = |end: End<'_>| match end.observation.noise.known() {
        Some(noise) => format!("grade {:?} ({} of the time lost)", noise.grade(), percent(noise.share())),
        None => "of unknown noise".to_owned(),
    };
    let several = peers.len() > 1;
    let peer = |(number, end): (usize, &End<'_>)| {
        let name = if several { format!("peer {number}") } else { "the peer".to_owned() };
        format!("{name} {}", grade(*end))
    };
    let peers: Vec<String> = (1..).zip(&peers).map(peer).collect();
    format!("This host was {}, {}.", grade(run.local()), peers.join(", "))
}

#[cfg(test)]
mod tests {
    use linerate_core::environment::Fact;

    use super::*;
    use crate::fixture;
    use crate::text::plain;

    #[test]
    fn a_column_is_headed_by_its_host_and_where_it_is() {
        let mut run = fixture::one().runs.swap_remove(0).run;
        let headings = |run: &Run, number| super::headings(run, run.remote(), run.path(), number);
        let hostile = plain(fixture::HOSTILE);
        assert_eq!(headings(&run, None), ["alpha (this host)".to_owned(), format!("{hostile} (the peer)")]);
        assert_eq!(headings(&run, Some(2))[1], format!("{hostile} (peer 2)"));
        run.model = Some(fixture::model());
        assert_eq!(headings(&run, None), ["alpha".to_owned(), hostile], "stations are no hosts");
        let bare = fixture::bare().runs.swap_remove(0).run;
        assert_eq!(headings(&bare, None), ["This host", "The peer"]);
        assert_eq!(headings(&bare, Some(3)), ["This host", "Peer 3"]);
    }

    #[test]
    fn how_quiet_the_hosts_were_is_told_as_far_as_it_is_known() {
        let mut run = fixture::one().runs.swap_remove(0).run;
        // 2 and 30 ms of a second.
        assert_eq!(
            noise(&run),
            "This host was grade B (0.2 % of the time lost), the peer grade C (3.0 % of the time lost)."
        );
        run.nodes[1].observation.noise = Fact::unknown("not watched");
        assert!(noise(&run).ends_with(", the peer of unknown noise."), "{}", noise(&run));
        run.nodes[0].observation.noise = Fact::unknown("not watched");
        assert_eq!(noise(&run), "How quiet the hosts were is not known.");
        run.model = Some(fixture::model());
        assert!(noise(&run).starts_with("Simulated"));
    }
}
