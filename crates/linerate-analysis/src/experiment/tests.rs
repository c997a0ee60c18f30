use super::*;

const PLAN: &str = r#"
about = "MTU and socket buffers"
seed = 7

[task]
pattern = "one-way"
time = "5s"

[bench]
lab = "pair"
set = { "lab.rate-mbps" = 100 }

[design]
kind = "full"
blocks = 3

[[factor]]
name = "MTU"
key = "lab.mtu"
levels = [1500, { name = "jumbo", value = 9000, set = { "task.socket.mss" = 8948 } }]

[[factor]]
name = "buffer"
key = "task.socket.sndbuf"
levels = ["64KiB", "128KiB", "1MiB"]
"#;

fn plan(text: &str) -> ExperimentPlan {
    ExperimentPlan::from_toml(text).expect("a plan")
}

/// The sentence with which a changed plan is refused.
fn refused(text: &str) -> String {
    plan(text).check().expect_err("it is refused").to_string()
}

#[test]
fn a_plan_is_read_and_written() {
    let read = plan(PLAN);
    read.check().expect("it makes sense");
    assert_eq!((read.blocks(), read.design.name(), read.factor.len()), (3, "full", 2));
    assert_eq!(plan(&read.to_toml()), read);
}

#[test]
fn a_cell_sets_what_its_levels_say() {
    let read = plan(PLAN);
    let conditions = read.conditions(&[1, 2]).expect("a cell");
    assert_eq!(conditions.task["socket"]["sndbuf"].as_str(), Some("1MiB"));
    assert_eq!(conditions.task["socket"]["mss"].as_integer(), Some(8948));
    let (lab, sets) = conditions.lab.expect("a laboratory");
    assert_eq!((lab.as_str(), sets.len()), ("pair", 2));
    assert_eq!(sets[0], ("rate-mbps".to_owned(), 100.into()));
    assert_eq!(sets[1], ("mtu".to_owned(), 9000.into()));
    assert_eq!(read.cell_name(&[1, 2]), "MTU = jumbo, buffer = 1MiB");
    let base = read.conditions(&[0, 0]).expect("the base");
    assert!(base.task["socket"].get("mss").is_none());
}

#[test]
fn another_model_comes_before_what_is_set_in_it() {
    let read = plan(
        "task = { time = '1s' }\n[[factor]]\nname = 'window'\nkey = 'model.tcp.window'\nlevels = ['64KiB', '1MiB']\n\
         [[factor]]\nname = 'kernel'\nkey = 'model'\nlevels = ['kernel-2.0.35', 'kernel-2.2.5']\n[design]\nkind = 'full'",
    );
    read.check().expect("it makes sense");
    let (model, sets) = read.conditions(&[1, 1]).expect("a cell").model.expect("a model");
    assert_eq!(
        (model.as_str(), sets),
        ("kernel-2.2.5", vec![("tcp.window".to_owned(), "\"1MiB\"".to_owned())])
    );
    assert_eq!(read.blocks(), 1, "models repeat themselves");
}

#[test]
fn a_command_has_its_levels_in_its_words() {
    let read = plan(
        "[command]\nrun = ['ping', '-s', '{size}', '10.0.0.2']\nmetric.rtt = { pattern = 'time=([0-9.]+)', better = 'less' }\n\
         [[factor]]\nname = 'size'\nlevels = [56, { name = 'large', value = 1400 }]",
    );
    read.check().expect("it makes sense");
    assert_eq!(read.conditions(&[1]).expect("a cell").run, ["ping", "-s", "1400", "10.0.0.2"]);
    assert_eq!(read.blocks(), 5);
}

#[test]
fn a_level_by_hand_says_what_to_do() {
    let read = plan(
        "[[factor]]\nname = 'card'\nmanual = 'Put the {level} card in.'\n\
         levels = [{ name = 'old' }, { name = 'new', expect = { 'initiator driver' = 'ixgbe' } }]",
    );
    read.check().expect("it makes sense");
    let conditions = read.conditions(&[1]).expect("a cell");
    assert_eq!(
        conditions.by_hand,
        [("card".to_owned(), "new".to_owned(), "Put the new card in.".to_owned())]
    );
    assert_eq!(conditions.expect["initiator driver"], "ixgbe");
    assert!(read.factor[0].is_hard());
}

#[test]
fn what_makes_no_sense_is_refused_with_what_to_do() {
    let factor = "\n[[factor]]\nname = 'f'\nkey = 'task.time'\nlevels = ['1s', '2s']";
    for (text, sentence) in [
        ("", "an experiment needs a factor; write [[factor]] with name, key and levels"),
        (
            "[[factor]]\nname = 'f'\nkey = 'task.time'\nlevels = ['1s']",
            "factor f: it needs two levels at least; the first is the base",
        ),
        ("[[factor]]\nname = 'f'\nkey = 'mtu'\nlevels = [1, 2]", "factor f: 'mtu' is no key; write task.KEY"),
        ("[[factor]]\nname = 'f'\nlevels = [1, 2]", "factor f: level 2 sets nothing"),
        ("[[factor]]\nname = 'f'\nkey = 'task.seed'\nlevels = [1, 1]", "factor f: two levels are called 1"),
        (
            "[[factor]]\nname = 'f'\nkey = 'model.seed'\nlevels = [1, 2]",
            "model.seed: the experiment has no model",
        ),
        (
            "[[factor]]\nname = 'f'\nkey = 'lab.mtu'\nlevels = [1, 2]",
            "lab.mtu: the experiment has no laboratory",
        ),
        (
            "[[factor]]\nname = 'f'\nkey = 'there.mtu'\nlevels = [1500, 9000]",
            "factor f: there.mtu: there is no other host",
        ),
        (
            &format!("[bench]\nmodel = 'gigabit'\nlab = 'pair'{factor}"),
            "bench: choose one of host, lab and model",
        ),
        (&format!("goal = 'speed'{factor}"), "goal: 'speed' is no key figure"),
        (&format!("[design]\nkind = 'full'\nblocks = 0{factor}"), "design.blocks is 0"),
        (
            &format!(
                "[design]\nkind = 'smallest'{factor}\n[[factor]]\nname = 'g'\nkey = 'task.seed'\nlevels = [1, 2]"
            ),
            "the design smallest searches one factor",
        ),
        (
            &format!("[design]\nkind = 'staircase'{factor}\nhard = true"),
            "factor f: a staircase changes it again and again",
        ),
        (
            "[[factor]]\nname = 'f'\nkey = 'task.seed'\nlevels = [1, { value = 2, parts = { nic = 1 } }]",
            "level 2 has parts, but nothing says what they cost",
        ),
        (
            "[[factor]]\nname = 'f'\nkey = 'task.seed'\nlevels = [1, { value = 2, parts = { nic = 1 } }]\n[prices]\ncurrency = 'USD'\ndate = '2026'",
            "the part nic has no price",
        ),
    ] {
        let said = refused(text);
        assert!(said.starts_with(sentence), "{text}\n{said}");
    }
}

#[test]
fn an_unknown_key_or_level_is_refused_where_it_stands() {
    let error = ExperimentPlan::from_toml("[[factor]]\nname = 'f'\nlevels = [{ name = 'a', sets = 1 }]")
        .expect_err("no such key");
    assert!(error.message().contains("unknown field `sets`"), "{error}");
    assert!(error.span().is_some_and(|span| span.start > 20), "{error}");
    let error = ExperimentPlan::from_toml("[design]\nkind = 'fraction'\nruns = 8\ncells = 3")
        .expect_err("no such key");
    assert!(error.message().contains("unknown field `cells`"), "{error}");
}
