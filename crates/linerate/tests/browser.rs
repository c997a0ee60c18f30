//! The HTML report in a real browser: it renders, its script runs, and it asks for nothing.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::support::{Desk, missing};

const NETPIPE: &str = include_str!("../../linerate-analysis/tests/netpipe/3.7.2-loopback.out");
/// Names under which the browser is known to distributions.
const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];
/// Where Chromium goes by itself in spite of its flags: sign-in, its shop, its updates.
const ERRANDS: [&str; 4] =
    ["accounts.google.com", "clients2.google.com", "update.googleapis.com", "android.clients.google.com"];
/// Graphs of a report.
const GRAPHS: usize = 3;

/// What the browser made of a page.
struct Seen {
    /// The document after its script has run.
    dom: String,
    /// What the browser logged.
    log: String,
    /// Every address that was asked for.
    requests: BTreeSet<String>,
}

/// Opens `page` of `desk`. None, with a word, where there is no browser.
fn open(desk: &Desk, page: &str) -> Option<Seen> {
    open_in(desk, page, 1280)
}

/// The same in a window of this width. Unit: pixels.
fn open_in(desk: &Desk, page: &str, width: u32) -> Option<Seen> {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let there = |name: &&&str| std::env::split_paths(&paths).any(|folder| folder.join(name).is_file());
    let Some(browser) = BROWSERS.iter().find(there) else {
        missing("chromium");
        return None;
    };
    let profile = format!("--user-data-dir={}", desk.path("profile").display());
    let net_log = format!("--log-net-log={}", desk.path("net.json").display());
    let address = format!("file://{}", desk.path(page).display());
    let window = format!("--window-size={width},1000");
    // Nothing resolves but what a page names by number, so the browser's own errands end at once
    // and no test leaves this host.
    let arguments = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--disable-default-apps",
        "--no-first-run",
        "--host-resolver-rules=MAP * ^NOTFOUND",
        "--enable-logging=stderr",
        "--v=0",
        "--virtual-time-budget=3000",
        "--dump-dom",
        &window,
        &profile,
        &net_log,
        &address,
    ];
    let said = desk.finish(desk.command(browser, &arguments)).done();
    let net: Value = serde_json::from_str(&desk.read("net.json")).expect("the net log is JSON");
    Some(Seen { dom: said.stdout, log: said.stderr, requests: requests(&net) })
}

/// Every address that a request was begun for, by a page or by the browser itself.
fn requests(net: &Value) -> BTreeSet<String> {
    let begins = net["constants"]["logEventTypes"]["URL_REQUEST_START_JOB"].as_u64();
    let begins = begins.expect("the log knows the event");
    let events = net["events"].as_array().expect("the log has events");
    let begun = events.iter().filter(|event| event["type"].as_u64() == Some(begins));
    begun.filter_map(|event| event["params"]["url"].as_str()).map(str::to_owned).collect()
}

impl Seen {
    /// Asserts that the page is whole, has these curves and numbers these bands of sizes, and asked for nothing.
    ///
    /// The log does not say for every request whether the page or the browser began it, so what
    /// the browser does of its own accord is switched off by its flags and known by its address;
    /// everything else counts, also a request that the page's own policy or the lack of a network
    /// stopped.
    fn assert_sound(&self, curves: usize, bands: usize) {
        self.assert_quiet();
        assert_eq!(self.dom.matches("<g class=\"curve ").count(), GRAPHS * curves + bands);
        // The script enables the legend and adds an aim to each graph.
        assert_eq!(self.dom.matches("class=\"aim\"").count(), GRAPHS, "the script did not run to its end");
        let buttons = match (curves, bands) {
            (1, 0) => 0,
            (1, _) => curves + bands,
            _ => GRAPHS * curves,
        };
        assert_eq!(self.dom.matches("aria-pressed=\"true\"").count(), buttons);
        assert!(!self.dom.contains("disabled=\"\""), "the legend is dead");
        assert!(self.dom.trim_end().ends_with("</html>"));
    }

    /// Asserts that the page asked for nothing and its script met no error.
    fn assert_quiet(&self) {
        let page = |address: &&String| !address.split('/').nth(2).is_some_and(|host| ERRANDS.contains(&host));
        let asked: Vec<&String> = self.requests.iter().filter(page).collect();
        assert!(asked.is_empty(), "the page asked for {asked:?}");
        println!("requests, the browser's own included: {:?}", self.requests);
        let console: Vec<&str> = self.log.lines().filter(|line| line.contains("CONSOLE")).collect();
        assert!(console.is_empty(), "the console said {console:#?}");
    }
}

#[test]
fn a_measured_report_and_an_overlay_render_without_an_error_or_a_request() {
    let desk = Desk::new();
    let options = ["--time", "2s", "--max-size", "64KiB", "--out", "x.run.json", "--report", "x.html"];
    desk.linerate(&[&["measure"], &options[..]].concat()).done();
    let Some(seen) = open(&desk, "x.html") else { return };
    seen.assert_sound(1, bands(&desk, "x.run.json"));
    desk.write("np.out", NETPIPE);
    desk.linerate(&["report", "x.run.json", "np.out", "--report", "y.html"]).done();
    let seen = open(&desk, "y.html").expect("it was there a moment ago");
    seen.assert_sound(2, 0);
    // What a measured curve is bound by depends on the machine; this one has two bands everywhere.
    let model = ["measure", "--model", "acenic", "--schedule", "octave:1", "--out", "z.run.json"];
    desk.linerate(&[&model[..], &["--report", "z.html"]].concat()).done();
    assert!(bands(&desk, "z.run.json") > 1);
    let seen = open(&desk, "z.html").expect("it was there a moment ago");
    seen.assert_sound(1, bands(&desk, "z.run.json"));
}

/// How many bands of sizes a page numbers: those of its verdict, if there are several.
fn bands(desk: &Desk, run: &str) -> usize {
    let explained: Value =
        serde_json::from_str(&desk.linerate(&["explain", run, "--format", "json"]).done().stdout)
            .expect("explain writes JSON");
    let all = explained[0]["curves"][0]["bands"].as_array().map_or(0, Vec::len);
    if all > 1 { all } else { 0 }
}

#[test]
fn a_page_of_a_load_renders_without_an_error_or_a_request() {
    let desk = Desk::new();
    let load = ["model", "load", "gigabit", "--set", "load.time=1ms", "--set", "load.warm-up=0s"];
    // A single run has its stations and its delays; a sweep four charts of a curve for each of two loads,
    // and in the first what framing leaves.
    let sweep =
        ["--sweep", "frame=64,512,1518", "--sweep", "arrivals=poisson,periodic", "--set", "total-load=0.5"];
    for (options, charts, legend) in [(&[][..], 2, 0), (&sweep[..], 4, 9)] {
        desk.linerate(&[&load[..], options, &["--report", "x.html"]].concat()).done();
        let Some(seen) = open(&desk, "x.html") else { return };
        seen.assert_quiet();
        assert_eq!(seen.dom.matches("class=\"aim\"").count(), charts, "the script did not run to its end");
        assert_eq!(seen.dom.matches("aria-pressed=\"true\"").count(), legend);
        assert!(!seen.dom.contains("disabled=\"\""), "a legend is dead");
    }
}

/// The first chart of a page after `script` has used it.
fn used(desk: &Desk, page: &str, script: &str) -> Option<String> {
    let whole = desk.read(page);
    let (before, _) = whole.rsplit_once("</body>").expect("a page has an end");
    desk.write("used.html", format!("{before}<script>{script}</script></body></html>"));
    let seen = open(desk, "used.html")?;
    seen.assert_quiet();
    let (_, chart) = seen.dom.split_once("id=\"throughput\"").expect("the chart is there");
    Some(chart.split_once("</figure>").expect("it ends").0.to_owned())
}

/// What stands along the axes of a chart.
fn labels(chart: &str) -> Vec<String> {
    // Over the marks, so that no mark covers them.
    let (_, axes) = chart.rsplit_once("<g class=\"axes\">").expect("it has axes");
    let (axes, _) = axes.split_once("</g>").expect("they end");
    let texts = axes.split("<text").skip(1).filter_map(|text| text.split_once('>')?.1.split_once('<'));
    texts.map(|(text, _)| text.trim().to_owned()).collect()
}

#[test]
fn a_reader_can_change_axes_zoom_and_hide_a_curve() {
    let desk = Desk::new();
    desk.write("np.out", NETPIPE);
    desk.linerate(&["report", "np.out", "--to", "x.html"]).done();
    let Some(plain) = used(&desk, "x.html", "") else { return };
    let press = |name: &str| {
        format!(
            "[...document.querySelectorAll('#throughput .tools button')].find((button) => button.textContent === '{name}').click();"
        )
    };
    let with = |script: &str| used(&desk, "x.html", script).expect("it was there a moment ago");
    // Rates from zero by powers of ten: no zero is left.
    assert!(labels(&plain).contains(&"0".to_owned()), "{:?}", labels(&plain));
    let logarithmic = with(&press("y: logarithmic"));
    assert!(!labels(&logarithmic).contains(&"0".to_owned()), "{:?}", labels(&logarithmic));
    let back = with(&format!("{}{}", press("y: logarithmic"), press("y: linear")));
    assert_eq!(labels(&back), labels(&plain));
    // A rectangle over the right half: small sizes leave the axis, and come back.
    let drag = "const svg = document.querySelector('#throughput svg.graph'); const box = svg.getBoundingClientRect();\
        const at = (kind, x, y) => (kind === 'pointerup' ? window : svg).dispatchEvent(new PointerEvent(kind,\
        { clientX: box.left + x * box.width, clientY: box.top + y * box.height, bubbles: true, cancelable: true }));\
        at('pointerdown', 0.6, 0.1); at('pointermove', 0.8, 0.5); at('pointerup', 0.9, 0.7);";
    let zoomed = with(drag);
    let first = &labels(&plain)[0];
    assert!(!labels(&zoomed).contains(first), "{first}: {:?}", labels(&zoomed));
    assert!(labels(&zoomed).len() > 5, "{:?}", labels(&zoomed));
    let whole = with(&format!("{drag}{}", press("whole chart")));
    assert_eq!(labels(&whole), labels(&plain));
    for mark in ["<polyline", "<circle"] {
        assert!(plain.contains(mark) && logarithmic.contains(mark) && zoomed.contains(mark), "{mark}");
    }
    assert!(!plain.contains("NaN") && !logarithmic.contains("NaN") && !zoomed.contains("NaN"));
}

/// Looks at every chart of a page that is 400 pixels wide: its name, its least letters, its buttons, and which of its
/// axes are logarithmic and say so.
const LOOK: &str = "
    document.body.style.width = '400px';
    innerWidth = 400;
    dispatchEvent(new Event('resize'));
    const scaled = (axis) => axis.scale !== 'linear' && ['bytes', 'time', 'number'].includes(axis.label);
    const charts = [...document.querySelectorAll('figure.chart')].map((figure) => {
      const svg = figure.querySelector('svg.graph');
      const shown = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
      const letters = [...svg.querySelectorAll('text')].map((text) => parseFloat(getComputedStyle(text).fontSize) * shown);
      const buttons = [...figure.querySelectorAll('.tools button:not([hidden])')].map((button) => button.textContent);
      const box = figure.getBoundingClientRect();
      return { id: figure.id, width: box.width, letters: Math.min(...letters), buttons, axes: [svg.chart.graph.x, svg.chart.graph.y].map(scaled) };
    });
    const note = document.createElement('pre');
    note.id = 'looked';
    note.textContent = JSON.stringify(charts);
    document.body.append(note);";

/// What [`LOOK`] and `script` see of a page of `desk`.
fn looked(desk: &Desk, page: &str, script: &str) -> Option<(Vec<Value>, String)> {
    let whole = desk.read(page);
    let (before, _) = whole.rsplit_once("</body>").expect("a page has an end");
    desk.write("looked.html", format!("{before}<script>{script}{LOOK}</script></body></html>"));
    let seen = open_in(desk, "looked.html", 400)?;
    seen.assert_quiet();
    let (_, note) = seen.dom.split_once("<pre id=\"looked\">").expect("the script ran");
    let (note, _) = note.split_once("</pre>").expect("it ends");
    Some((serde_json::from_str(note).expect("JSON"), seen.dom))
}

/// Charts of rows, cells and time have letters that can be read on a narrow page, and the tools of all others.
#[test]
fn every_chart_can_be_read_on_a_narrow_page_and_has_its_tools() {
    let desk = crate::history::desk();
    crate::history::history(&desk, &["import", "runs"]).done();
    let path = crate::history::path(&desk);
    crate::history::history(&desk, &["report", &path, "--report", "history.html"]).done();
    desk.write("known.toml", crate::experiment::KNOWN);
    desk.linerate(&["experiment", "known.toml"]).done();
    let mesh = ["mesh", "--ranks", "5", "--visit", "2ms", "--repeat", "1", "--recheck", "0"];
    desk.linerate(&[&mesh[..], &["--out", "mesh.run.json", "--report", "mesh.html"]].concat());
    for (page, some) in [
        ("history.html", &["heat-ping-pong", "figure-0"][..]),
        ("known.experiment/index.html", &["effects-0", "heat"]),
        ("mesh.html", &["map-0", "map-1"]),
    ] {
        let Some((charts, dom)) = looked(&desk, page, "") else { return };
        assert!(!dom.contains("=\"NaN") && !dom.contains("NaN,"), "{page}: a place is a number");
        for id in some {
            assert!(charts.iter().any(|chart| chart["id"] == *id), "{page} has {id}: {charts:?}");
        }
        for chart in &charts {
            let letters = chart["letters"].as_f64().expect("it has letters");
            assert!(letters >= 11.0, "{page}: {chart}");
            assert!(chart["width"].as_f64().is_some_and(|width| width <= 400.0), "{page}: {chart}");
            let has =
                |name: &str| chart["buttons"].as_array().is_some_and(|all| all.iter().any(|it| it == name));
            assert!(["SVG", "PNG", "CSV"].into_iter().all(has), "{page}: {chart}");
            for (axis, name) in chart["axes"].as_array().expect("two").iter().zip(["x: linear", "y: linear"])
            {
                assert!(axis == false || has(name), "{page}: {chart}");
            }
        }
    }
    // A rectangle over a row and a half: the other rows leave the chart.
    let drag = "const rows = document.querySelector('#effects-0 svg.graph'); const inside = rows.getBoundingClientRect();\
        const at = (kind, x, y) => (kind === 'pointerup' ? window : rows).dispatchEvent(new PointerEvent(kind,\
        { clientX: inside.left + x * inside.width, clientY: inside.top + y, bubbles: true, cancelable: true }));\
        at('pointerdown', 0.2, 14); at('pointermove', 0.5, 30); at('pointerup', 0.9, 44);";
    let page = "known.experiment/index.html";
    let (charts, dom) = looked(&desk, page, drag).expect("it was there a moment ago");
    let rows = charts.iter().find(|chart| chart["id"] == "effects-0").expect("it is there");
    let buttons = rows["buttons"].as_array().expect("it has some");
    assert!(buttons.iter().any(|it| it == "whole chart") && !dom.contains("=\"NaN"), "{rows}");
    let order = "const order = document.querySelector('select[data-order]'); order.value = 'worst';\
        order.dispatchEvent(new Event('change'));";
    let point = "const map = document.querySelector('#map-0 svg.graph'); const spot = map.getBoundingClientRect();\
        map.dispatchEvent(new PointerEvent('pointermove', { clientX: spot.left + spot.width * 0.6, clientY: spot.top + spot.height * 0.5 }));";
    let (_, dom) = looked(&desk, "mesh.html", &format!("{order}{point}")).expect("it was there a moment ago");
    let (_, tip) = dom.split_once("id=\"tip\"").expect("it is there");
    let tip = tip.split_once("</div>").expect("it ends").0;
    assert!(tip.contains("from ") && tip.contains("times the median"), "{tip}");
}

/// The test above would see a page that is not sound.
#[test]
fn a_page_with_an_error_and_a_request_is_noticed() {
    let desk = Desk::new();

    desk.write(
        "bad.html",
        "<html><img src='http://127.0.0.1:9/x.png'><script>nothing.there()</script></html>",
    );
    let Some(seen) = open(&desk, "bad.html") else { return };
    assert!(
        seen.log.lines().any(|line| line.contains("CONSOLE") && line.contains("nothing")),
        "{}",
        seen.log
    );
    assert!(seen.requests.contains("http://127.0.0.1:9/x.png"), "{:?}", seen.requests);
}
