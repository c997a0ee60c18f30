//! An application on one number of ranks after the other, on the ideal network. 2 s.

use std::cell::RefCell;
use std::ops::ControlFlow;

use linerate_apps::catalogue::App;
use linerate_apps::run::{Asked, Case, RunWatch, Stop, begun, cases, conduct, follow};
use linerate_apps::work::UnitCost;
use linerate_core::app::{AppRun, Cost};
use linerate_core::comm::Comm;
use linerate_core::comm::ideal::{self, Network};
use linerate_core::mesh::Rank;
use linerate_core::plan::AppOptions;
use linerate_core::units::Span;
use rstest::rstest;
use serde_json::json;

const NETWORK: Network = Network { latency: Span::from_us(50), per_byte: Span::from_ns(8) };

fn app(name: &str, options: &serde_json::Value) -> App {
    let options: AppOptions = options.as_object().expect("a table").clone();
    App::read(name, &options).expect("an application")
}

fn small(name: &str) -> App {
    match name {
        "hint" => app(name, &json!({"largest": 2048, "trials": 1})),
        "photon" => app(name, &json!({"photons": 4000, "per-round": 200})),
        "md" => app(
            name,
            &json!({"cells": [4, 4, 4], "steps": 6, "every": 1, "density": 0.5, "cutoff": 1.5, "frame-every": 3}),
        ),
        _ => app(name, &json!({"cells": [1, 1, 1], "steps": 2, "frame-every": 1})),
    }
}

/// Notes what it sees, and ends it at the n-th call of `progress`.
#[derive(Debug, Default)]
struct Noted {
    begun: Vec<(Case, usize, usize)>,
    progress: usize,
    done: Vec<usize>,
    ends_at: Option<usize>,
}

impl RunWatch for Noted {
    fn begins(&mut self, case: Case, number: usize, all: usize) -> ControlFlow<()> {
        self.begun.push((case, number, all));
        ControlFlow::Continue(())
    }

    fn progress(&mut self, done: u64, all: u64, merit: f64) -> ControlFlow<()> {
        assert!(done <= all && merit >= 0.0);
        self.progress += 1;
        if self.ends_at.is_some_and(|ends_at| self.progress >= ends_at) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    fn case_done(&mut self, run: &AppRun) {
        self.done.push(run.cases.len());
    }
}

/// What `measured` ranks do, with a conductor before them if `first` is 1.
fn run(
    app: &App,
    measured: usize,
    first: usize,
    asked: &[Case],
    noted: Noted,
) -> (AppRun, Stop, Vec<u8>, Noted) {
    let noted = RefCell::new(Some(noted));
    let everybody = Asked { app, cost: Some(UnitCost(1e3)), first, patience: Span::MAX };
    let ended = ideal::run(NETWORK, measured + first, async |mut comm| {
        if comm.rank() > 0 {
            follow(&mut comm, everybody).await?;
            return Ok(None);
        }
        let mut noted = noted.take().expect("there is one rank 0");
        let named = (0..measured).map(|rank| Rank { name: format!("n{rank}"), ..Rank::default() });
        let mut run = begun(app, Some(Cost { unit_ps: 1e3, measured: false }), named.collect());
        let (stop, shown) = conduct(&mut comm, everybody, &mut run, asked, true, &mut noted).await;
        Ok(Some((run, stop, shown, noted)))
    });
    ended.expect("nobody waits for ever").swap_remove(0).expect("rank 0 conducts")
}

#[rstest]
fn every_application_runs_on_each_number_of_ranks(
    #[values("hint", "photon", "md", "tbmd")] name: &str,
    #[values(0, 1)] first: usize,
) {
    let app = small(name);
    let asked = cases(&[1, 2, 4], 2);
    let (run, stop, shown, noted) = run(&app, 4, first, &asked, Noted::default());
    assert!(matches!(stop, Stop::Done), "{stop:?}");
    assert_eq!(run.cases.len(), 6);
    for (case, asked) in run.cases.iter().zip(&asked) {
        assert_eq!((case.ranks, case.repetition), (asked.ranks, asked.repetition));
        assert_eq!(case.accounts.len(), asked.ranks as usize);
        assert!(case.merit > 0.0 && !case.interrupted && case.seconds() > 0.0, "{case:?}");
        assert!(!case.checks.is_empty() && case.failed_checks().next().is_none(), "{:?}", case.checks);
        assert_eq!(case.messages() > 0, asked.ranks > 1, "one rank has nobody to talk to");
        assert!((case.communication_share() > 0.0) == (asked.ranks > 1));
        assert!(case.accounts.iter().all(|account| account.messages.len() == asked.ranks as usize));
    }
    // On an exact network the same is the same again; who conducts takes no part.
    assert_eq!(run.cases[0].accounts, run.cases[3].accounts);
    assert_eq!(run.cases[2].merit, run.cases[5].merit);
    assert_eq!((noted.begun.len(), noted.done), (6, vec![1, 2, 3, 4, 5, 6]));
    assert!(noted.progress > 0);
    match name {
        "md" | "tbmd" => assert!(String::from_utf8(shown).expect("text").contains("Properties=species:S:1")),
        "hint" => assert!(shown.is_empty()),
        _ => assert!(shown.is_empty() || shown.starts_with(b"\x89PNG")),
    }
}

#[rstest]
fn who_conducts_changes_no_account(#[values("photon", "md")] name: &str) {
    let asked = cases(&[3], 1);
    let [inside, outside] = [0, 1].map(|first| run(&small(name), 3, first, &asked, Noted::default()).0);
    let sent = |run: &AppRun| -> Vec<_> {
        run.cases[0]
            .accounts
            .iter()
            .map(|account| (account.bytes.clone(), account.messages.clone(), account.units))
            .collect()
    };
    assert_eq!(sent(&inside), sent(&outside));
}

#[rstest]
fn an_interrupted_case_is_kept_and_is_the_last(#[values(0, 1)] first: usize) {
    let app =
        app("md", &json!({"cells": [4, 4, 4], "steps": 4000, "every": 1, "density": 0.5, "cutoff": 1.5}));
    let noted = Noted { ends_at: Some(3), ..Noted::default() };
    let (run, stop, _, _) = run(&app, 2, first, &cases(&[2, 1], 2), noted);
    assert!(matches!(stop, Stop::Interrupted), "{stop:?}");
    assert_eq!((run.cases.len(), run.cases[0].interrupted), (1, true));
}

#[rstest]
fn what_cannot_go_on_is_told_and_what_was_done_is_kept(#[values(0, 1)] first: usize) {
    // One rank can do it, three cannot stand in a square.
    let app = app("tbmd", &json!({"cells": [1, 1, 1], "steps": 1, "time-step": 1e3, "temperature": 1e6}));
    let (run, stop, _, noted) = run(&app, 2, first, &cases(&[2], 1), Noted::default());
    let Stop::Failed(reason) = stop else { panic!("{stop:?}") };
    assert!(reason.contains("(n0)") || reason.contains("(n1)"), "{reason}");
    assert!(run.cases.is_empty() && noted.done.is_empty());
}

#[test]
fn repetitions_go_through_all_numbers_of_ranks() {
    let of = |ranks, repetition| Case { ranks, repetition };
    assert_eq!(cases(&[1, 4], 2), [of(1, 0), of(4, 0), of(1, 1), of(4, 1)]);
}
