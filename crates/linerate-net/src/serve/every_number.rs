//! A walk over every number of every message of a client: each has a bound, or a reason to have none.
//!
//! The numbers are found in the schemas of the messages, so a new message or a new option is walked too.

use std::io::{self, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use linerate_core::transport::Transport;
use linerate_core::units::Size;
use rand::{RngExt as _, SeedableRng as _, rngs::SmallRng};
use serde_json::{Map, Value, json};

use super::Server;
use super::limits::Limits;
use crate::control::{
    Ask, Control, FrameError, Greeting, Key, Opening, PROTOCOL, Purpose, Reply, WELCOME_LEN, Welcome,
};

/// How long the server may take for anything.
const PATIENCE: Duration = Duration::from_secs(30);

/// What needs no bound, by the end of its path, and why.
const FREE: [(&str, &str); 3] = [
    ("seed", "a seed makes nothing longer or larger"),
    ("local", "the client's own options: the server acts on none"),
    ("output", "where and how the client shows its results"),
];

/// Far above what anybody needs, as each kind of number is written.
const NUMBERS: [u64; 4] = [u64::MAX, 1 << 63, i64::MAX as u64, 1 << 62];
/// The same of a number of 32 bits.
const NARROW: u32 = u32::MAX;
const TEXTS: [&str; 3] = ["18446744073709551615", "4611686018427387904", "99999h"];
const REALS: [f64; 2] = [1e300, -1e300];

/// A number of a message: the keys to it, `[]` for a place of an array.
type Path = Vec<String>;

/// Every number below `schema`.
fn numbers(schema: &Value, root: &Value, path: &Path, found: &mut Vec<Path>) {
    assert!(path.len() < 12, "a message that holds itself: {path:?}");
    if let Some(name) = schema.get("$ref").and_then(Value::as_str) {
        let name = name.rsplit('/').next().expect("it has a last part");
        if ["Size", "SpanText", "Rate"].contains(&name) {
            found.push(path.clone());
        } else {
            numbers(&root["$defs"][name], root, path, found);
        }
        return;
    }
    let kinds = schema.get("type").map(ToString::to_string).unwrap_or_default();
    if kinds.contains("integer") || kinds.contains("number") {
        found.push(path.clone());
    }
    for all in ["anyOf", "oneOf", "allOf"] {
        for one in schema.get(all).and_then(Value::as_array).into_iter().flatten() {
            numbers(one, root, path, found);
        }
    }
    for (key, below) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        numbers(below, root, &[path.as_slice(), std::slice::from_ref(key)].concat(), found);
    }
    if let Some(items) = schema.get("items").filter(|items| items.is_object()) {
        numbers(items, root, &[path.as_slice(), &["[]".to_owned()]].concat(), found);
    }
}

/// `base` with `value` at `path`.
fn with(base: &Value, path: &[String], value: &Value) -> Value {
    let Some((key, rest)) = path.split_first() else { return value.clone() };
    if key == "[]" {
        return json!([with(&Value::Null, rest, value)]);
    }
    let mut table = base.as_object().cloned().unwrap_or_else(Map::new);
    let below = table.get(key).cloned().unwrap_or(Value::Null);
    table.insert(key.clone(), with(&below, rest, value));
    Value::Object(table)
}

/// Messages that are accepted: of each kind that has numbers at least one, in every situation in which a number may count.
fn honest() -> Vec<Value> {
    let mut all = vec![
        json!({"stages": {"size": 64, "count": 20}}),
        json!({"traced": {"size": 64, "warm_up": 1, "count": 20, "telling": "best"}}),
        json!({"trial": {"pattern": "one-way", "size": 64, "samples": 2, "batch": 1, "seed": 1, "check": "full"}}),
    ];
    for task in [
        json!({}),
        json!({"schedule": "octave:2"}),
        json!({"stream": {}}),
        json!({"stream": {"direction": "both", "read-rate-bps": 1e6}}),
        json!({"rr": {}}),
        json!({"rr": {"rate": 10.0}}),
        json!({"mesh": {"collectives": ["allreduce:ring"]}}),
        json!({"app": {"name": "hint"}}),
        json!({"trace": {}}),
    ] {
        for transport in Transport::ALL {
            let plan = with(&task, &["transport".to_owned()], &json!(transport.to_string()));
            all.push(json!({"offer": plan.clone()}));
            let order = json!({"rank": 1, "size": 3, "first": 1, "name": "n", "plan": plan, "within_ms": 9, "patience_ms": 9});
            all.push(json!({"rank": {"port": 5470, "order": order}}));
        }
    }
    for load in [json!({"time": "1s", "stream": {}}), json!({"time": "1s", "rr": {}})] {
        all.push(json!({"open": {"load": load.clone()}}));
        all.push(json!({"open": {"alone": load}}));
    }
    all.retain(|message| is_accepted(message) || message.get("offer").is_some());
    all
}

/// What it means, if it is a message.
fn read(message: &Value) -> Option<Ask> {
    serde_json::from_value(message.clone()).ok()
}

/// Whether a server with its usual limits would act on it.
fn is_accepted(message: &Value) -> bool {
    let Some(ask) = read(message) else { return false };
    let limits = Limits::default();
    ask.check().is_ok()
        && match &ask {
            Ask::Offer(plan) => limits.check(plan).is_ok(),
            Ask::Rank { order, .. } => order.plan.mesh().is_some() || order.plan.app().is_some(),
            Ask::Open(Opening::Load(load) | Opening::Alone(load)) => load.time <= limits.time,
            _ => true,
        }
}

#[test]
fn every_number_of_every_message_has_a_bound() {
    let root = schemars::schema_for!(Ask).to_value();
    let mut found = Vec::new();
    numbers(&root, &root, &Path::new(), &mut found);
    found.sort();
    found.dedup();
    let honest = honest();
    assert!(found.len() > 100, "{} numbers: the schema was not walked", found.len());
    let mut without = Vec::new();
    for path in &found {
        if FREE.iter().any(|(name, _)| path.iter().any(|key| key == name)) {
            continue;
        }
        let bases: Vec<&Value> = honest.iter().filter(|message| message.get(&path[0]).is_some()).collect();
        let of_bytes = ["prove"].contains(&path[0].as_str());
        assert!(of_bytes || !bases.is_empty(), "no honest message of {path:?}");
        let is_wide = NUMBERS
            .iter()
            .any(|number| bases.iter().any(|base| read(&with(base, path, &json!(number))).is_some()));
        let narrow = (!is_wide).then_some(json!(NARROW));
        let extremes = NUMBERS.iter().map(|number| json!(number)).chain(narrow);
        let extremes = extremes.chain(TEXTS.iter().map(|text| json!(text)));
        let extremes = extremes.chain(REALS.iter().map(|real| json!(real)));
        for extreme in extremes {
            // What other tasks ignore is as good as not there.
            let changes =
                |base: &Value, changed: &Value| format!("{:?}", read(base)) != format!("{:?}", read(changed));
            let unbounded = |base: &&Value| {
                let changed = with(base, path, &extreme);
                is_accepted(&changed) && changes(base, &changed)
            };
            if bases.iter().any(unbounded) {
                without.push(format!("{} = {extreme}", path.join(".")));
            }
        }
    }
    assert!(
        without.is_empty(),
        "{} of {} numbers have no bound:\n{}",
        without.len(),
        found.len(),
        without.join("\n")
    );
}

/// A client of a server that runs here, by hand, once it has proved the key.
fn client(at: SocketAddr, key: &Key) -> Control {
    let mut stream = TcpStream::connect(at).expect("it listens");
    stream.set_read_timeout(Some(PATIENCE)).expect("a time limit");
    stream.write_all(&Greeting::new(Purpose::Control).encode()).expect("it listens");
    let mut welcome = [0; WELCOME_LEN];
    stream.read_exact(&mut welcome).expect("a welcome");
    let theirs = Welcome::decode(&welcome).expect("of a linerate").challenge;
    let proof = key.prove_client(PROTOCOL, &theirs, &[1; 32]);
    let mut control = Control::new(stream);
    control.say(&Ask::Prove { challenge: [1; 32], proof }, PATIENCE).expect("it listens");
    assert!(matches!(control.hear(PATIENCE), Ok(Reply::Proof(_))));
    control.agree(PROTOCOL, key.seals(PROTOCOL, &theirs, &[1; 32]).expect("it is the newest"));
    control
}

/// What the server answers, once it is this client's turn: a second passes between two places in the queue.
fn answer(control: &Control, to: &Value) -> Option<Reply> {
    control.say(to, PATIENCE).ok()?;
    for _ in 0..PATIENCE.as_secs() {
        match control.hear(PATIENCE) {
            Ok(Reply::Queued(_)) => {}
            Ok(reply) => return Some(reply),
            Err(FrameError::Stream(error)) => {
                let late = matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut);
                assert!(!late, "no answer within {PATIENCE:?} to {to}");
                return None;
            }
            Err(error) => panic!("failed to {error}"),
        }
    }
    panic!("the slot is held: {to}");
}

/// The largest memory that this process has had. Unit: bytes.
#[cfg(on_linux)]
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("it is there");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("it is told");
    line.split_whitespace().next().and_then(|kib| kib.parse::<u64>().ok()).expect("a number") << 10
}

/// The same numbers at random in a process of its own, whose memory is that of the server.
#[cfg(on_linux)]
#[test]
fn a_server_bears_every_number_and_its_slot_is_free_again() {
    const CHILD: &str = "TEST_EVERY_NUMBER";
    let name = "serve::every_number::a_server_bears_every_number_and_its_slot_is_free_again";
    if std::env::var_os(CHILD).is_none() {
        let mut child = Command::new(std::env::current_exe().expect("this program"));
        let status = child.args([name, "--exact", "--nocapture"]).env(CHILD, "1").status();
        assert!(status.expect("it starts").success(), "see above");
        return;
    }
    static PANICS: AtomicU32 = AtomicU32::new(0);
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        PANICS.fetch_add(1, Ordering::Relaxed);
        usual(panic);
    }));
    let seed = 38_001;
    println!("seed {seed}");
    let mut random = SmallRng::seed_from_u64(seed);
    let memory = 64 << 20;
    let limits = Limits { memory: Size(memory), ..Limits::default() };
    let key = Key::fresh().expect("random numbers");
    let server =
        Server::bind((Ipv4Addr::LOCALHOST, 0).into(), Some(key.clone()), limits).expect("a free port");
    let at = server.address().expect("it listens");
    let (stop, watched) = UnixStream::pair().expect("a socket pair");
    let running = std::thread::spawn(move || server.run(watched.as_fd()));
    let (root, mut found) = (schemars::schema_for!(Ask).to_value(), Vec::new());
    numbers(&root, &root, &Path::new(), &mut found);
    found.sort();
    found.dedup();
    let honest = honest();
    let plain = json!({"offer": {"time": "100ms"}});
    let before = peak();
    let mut answered = 0;
    for path in &found {
        let bases: Vec<&Value> = honest.iter().filter(|message| message.get(&path[0]).is_some()).collect();
        let extreme = match random.random_range(0..4) {
            0 => json!(u64::MAX >> random.random_range(0..64_u32)),
            1 => json!(random.random::<u64>()),
            2 => json!(TEXTS[random.random_range(0..TEXTS.len())]),
            _ => json!(REALS[random.random_range(0..REALS.len())]),
        };
        let Some(base) = (!bases.is_empty()).then(|| bases[random.random_range(0..bases.len())]) else {
            continue;
        };
        let message = with(base, path, &extreme);
        let control = client(at, &key);
        let admitted = matches!(path[0].as_str(), "offer" | "rank") || {
            matches!(answer(&control, &plain), Some(Reply::Admitted { .. }))
        };
        assert!(admitted, "not admitted before {message}");
        let reply = answer(&control, &message);
        assert!(reply.is_some(), "no answer to {message}");
        answered += 1;
    }
    assert!(answered > 100, "{answered} messages");
    let taken = peak() - before;
    assert!(taken <= memory + (32 << 20), "the server took {taken} B");
    drop(stop);
    running.join().expect("it does not panic").expect("it ends well");
    assert_eq!(PANICS.load(Ordering::Relaxed), 0, "a thread of the server panicked");
}
