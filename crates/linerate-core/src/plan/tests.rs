//! Plans as they are written, and what they are refused for.

use super::*;
use crate::grid::{Axis, Grid};
use crate::options::SocketOptions;
use crate::pattern::Pattern;
use crate::schedule::Schedule;
use crate::units::{Size, Span};

fn common() -> Common {
    Common {
        host: Some("node7:5003".to_owned()),
        time: Span::from_ms(2_500),
        socket: SocketOptions {
            sndbuf: Some(Size(65000)),
            congestion: Some("cubic".to_owned()),
            mss: Some(1400),
            dscp: Some(46),
            ..SocketOptions::default()
        },
        local: LocalOptions { family: Some(Family::V6), pin: Some(1), ..LocalOptions::default() },
        output: Output { out: Some("a.run.json".to_owned()), ..Output::default() },
        ..Common::default()
    }
}

fn curve() -> CurvePlan {
    CurvePlan {
        schedule: Schedule::List(vec![Size(1), Size(65536)]),
        from: Some(Size(1)),
        to: Some(Size(1 << 20)),
        perturb: Some(Size(5)),
        ..CurvePlan::default()
    }
}

fn grid(axes: &[&str]) -> Grid {
    Grid::new(axes.iter().map(|axis| axis.parse::<Axis>().expect("an axis")).collect()).expect("a grid")
}

fn stream() -> StreamTask {
    let table = grid(&["buffers=auto,64KiB", "messages=4KiB,1MiB"]);
    StreamTask { bulk: StreamPlan::default(), more_hosts: vec!["node8".to_owned()], table }
}

fn plans() -> Vec<Plan> {
    let mesh = MeshPlan { schedules: MeshSchedule::ALL.to_vec(), ..MeshPlan::default() };
    let tasks =
        [Task::Curve(curve()), Task::Stream(stream()), Task::Requests(RrPlan::default()), Task::Mesh(mesh)];
    let plan = |task: Task| {
        let mut common = common();
        // Ranks are not pinned.
        common.local.pin = common.local.pin.filter(|_| !matches!(task, Task::Mesh(_)));
        Plan { common, task }
    };
    tasks.into_iter().map(plan).collect()
}

#[test]
fn a_plan_survives_toml() {
    for plan in plans().into_iter().chain([Plan::default()]) {
        let text = plan.to_toml();
        assert_eq!(Plan::from_toml(&text).expect(&text), plan, "{text}");
        plan.check().expect("it can be carried out");
    }
}

#[test]
fn an_unknown_field_is_refused_by_name() {
    for text in ["patern = 'one-way'", "[socket]\nbufer = 1", "[local]\nkey = 'x'"] {
        let error = Plan::from_toml(text).expect_err(text);
        assert!(error.to_string().contains("unknown field"), "{error}");
    }
}

#[test]
fn an_option_of_another_task_is_left_out_or_refused() {
    // What `stream --print-plan` wrote before a plan had one task.
    let old = "pattern = 'ping-pong'\nschedule = 'netpipe'\nci = 0.02\nrounds = 9\n[stream]\nflows = 2";
    let plan = Plan::from_toml(old).expect("it is read for ever");
    assert!(!plan.to_toml().contains("pattern"), "{}", plan.to_toml());
    for (text, reason) in [
        ("stages = 50\nrr = {}", "stages is given with [rr]"),
        ("stages = 50\nstream = {}", "stages is given with [stream]"),
        ("more-hosts = ['a']", "more-hosts is a; it must be left out but for a stream"),
        (
            "table = ['messages=1KiB']\nrr = {}",
            "table is messages=1KiB; it must be left out but for a stream",
        ),
        ("stream = {}\nrr = {}", "stream is given with [rr]"),
        ("mesh = {}\nrr = {}", "rr is given with [mesh]"),
        ("stages = 50\nmesh = {}", "stages is given with [mesh]"),
        ("table = ['messages']\nstream = {}", "`messages` is not KEY=A,B,.."),
    ] {
        let error = Plan::from_toml(text).expect_err(text).to_string();
        assert!(error.contains(reason), "{error}");
    }
}

#[test]
fn the_older_name_of_a_pattern_is_read_and_no_longer_written() {
    let plan = Plan::from_toml("pattern = 'stream'").expect("it is read for ever");
    assert_eq!(plan.curve().map(|curve| curve.pattern), Some(Pattern::OneWay));
    assert!(plan.to_toml().contains("pattern = \"one-way\""), "{}", plan.to_toml());
}

#[test]
fn the_peer_is_not_told_what_is_local() {
    for plan in plans() {
        let told = plan.for_peer();
        let Common { host, local, output, .. } = told.common.clone();
        assert_eq!((host, local, output), (None, LocalOptions::default(), Output::default()));
        assert_eq!((told.hosts().count(), &told.common.socket), (0, &plan.common.socket));
    }
}

#[test]
fn a_table_has_a_load_for_each_row_and_the_largest_message_is_of_all() {
    let plan = Plan { common: common(), task: Task::Stream(stream()) };
    let loads = plan.loads().expect("a table");
    let labels: Vec<_> = loads.iter().map(|asked| asked.label.as_str()).collect();
    let wanted = [
        "buffers=auto messages=4 KiB",
        "buffers=auto messages=1 MiB",
        "buffers=64 KiB messages=4 KiB",
        "buffers=64 KiB messages=1 MiB",
    ];
    assert_eq!(labels, wanted);
    let of = |load: &Load| (load.socket.sndbuf, load.stream.as_ref().and_then(|stream| stream.message));
    assert_eq!(of(&loads[1].load), (None, Some(Size(1 << 20))));
    assert_eq!(of(&loads[2].load), (Some(Size(64 << 10)), Some(Size(4 << 10))));
    assert_eq!(plan.largest().expect("a table"), 1 << 20);
    assert_eq!(plan.hosts().collect::<Vec<_>>(), ["node7:5003", "node8"]);
}

#[test]
fn values_outside_their_range_are_refused_by_name() {
    for (text, field) in [
        ("ci = 0.0", "ci"),
        ("time = '0s'", "time"),
        ("rounds = 0", "rounds"),
        ("socket.dscp = 64", "dscp"),
        ("transport = 'udp'\nsocket.ecn = 'ect0'", "ecn"),
        ("stream = {}\nsocket.ecn = 'ect1'", "transport"),
        ("socket.batch = 0", "batch"),
        ("socket.batch = 1025", "batch"),
        ("socket.mss = 1", "mss"),
        ("socket.rcvbuf = 0", "rcvbuf"),
        ("from = 2\nto = 1", "from"),
        ("memory.offset = 4096", "offset"),
        ("rr = {}\nmemory.working-set = '1MiB'", "memory is working-set"),
        (
            "rr = {}\nmemory = { touch = true, offset = 1, huge-pages = true }",
            "memory is touch, offset, huge-pages",
        ),
        ("stages = 50\nmemory.touch = true", "memory is touch"),
        ("table = ['colours=1']\nstream = {}", "table is colours=1"),
        ("table = ['messages=auto']\nstream = {}", "table is messages=auto"),
        ("table = ['messages=1,0']\nstream = {}", "message is 0"),
        ("table = ['buffers=0']\nstream = {}", "sndbuf is 0"),
        ("stages = 9", "stages is 9"),
        ("stages = 201", "stages is 201"),
        ("stages = 50\nschedule = 'list:1048576'", "stages is 50"),
        ("stages = 50\ntransport = 'quic'", "transport is quic"),
        ("more-hosts = ['a']\nstream = {}", "more-hosts is a; it must be left out where host is"),
        ("host = 'a'\nmore-hosts = ['b', 'a']\nstream = {}", "more-hosts is a; it must be another host"),
        (
            "stream = {}\ntransport = 'udp'\nmemory.working-set = '1MiB'",
            "memory is working-set; it must be left out",
        ),
        ("host = 'a'\nmore-hosts = ['b']\nstream = { flows = 4000 }", "more-hosts is b; it must be so few"),
        ("socket.gso = true", "transport is tcp; it must be udp for gso"),
        (
            "transport = 'unix-datagram'\nsocket.gro = true",
            "transport is unix-datagram; it must be udp for gso",
        ),
        (
            "transport = 'ethernet'\nsocket.batch = 2",
            "transport is ethernet; it must be udp or unix-datagram",
        ),
        ("transport = 'unix-datagram'\nsocket.dscp = 3", "transport is unix-datagram; it must be another"),
        ("mesh = {}\nlocal.pin = 3", "pin is 3,; it must be left out"),
        ("app = { name = 'md' }\nremote.pin = 0", "pin is ,0; it must be left out"),
        ("transport = 'mpi'\nlocal.pin = 1\nremote.pin = 2", "pin is 1,2; it must be left out"),
        ("socket.io = 'splice'", "receive-io is splice"),
        ("socket.receive-io = 'truncate'", "receive-io is truncate"),
        ("stream = {}\nsocket.wait = 'spin'", "wait is spin"),
        ("rr = { connect = true }\nsocket.wait = 'spin'", "wait is spin"),
        ("socket = { wait = 'spin', receive-io = 'uring-fixed' }", "wait is spin"),
        ("transport = 'memory'\nsocket.wait = 'spin'", "wait is spin"),
        ("stream = { threads = 1 }\nsocket.io = 'sendfile'", "io is sendfile"),
        ("stream = { threads = 1 }\nsocket.receive-io = 'uring-multishot'", "receive-io is uring-multishot"),
        ("stream = {}\nmemory.touch = true\nsocket.io = 'splice'", "receive-io is splice"),
    ] {
        let plan = Plan::from_toml(text).expect(text);
        let error = plan.check().expect_err(text);
        assert!(error.to_string().starts_with(field), "{error}");
    }
}

#[test]
fn what_arrives_may_be_thrown_away_where_nobody_looks() {
    for text in
        ["stream = {}\nsocket.io = 'truncate'", "socket.io = 'splice'\nsocket.receive-io = 'send-recv'"]
    {
        Plan::from_toml(text).expect(text).check().expect(text);
    }
}

#[test]
fn places_in_memory_are_those_of_curves_and_of_bulk() {
    for text in ["", "stream = {}", "rr = { under-load = 2 }", "stream = { threads = 1 }"] {
        let text = format!("{text}\nmemory = {{ working-set = '1MiB', touch = true, huge-pages = true }}");
        Plan::from_toml(&text).expect(&text).check().expect(&text);
    }
}
