//! What a server refuses, and what it does when a client that holds settings does not behave.

use std::io::{self, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener};
use std::thread::JoinHandle;

use linerate_core::units::Span;
use linerate_net::control::{
    GREETING_LEN, Greeting, LONGEST_VALUE, MOST_SETTINGS, Purpose, Welcome, write_frame,
};
use linerate_net::pair::PairError;
use rstest::rstest;
use rustix::thread::{CapabilitySet, CapabilitySets, set_capabilities};

use super::*;
use crate::support::rude::framed;

#[test]
fn what_is_unknown_or_not_allowed_is_refused_and_the_connection_goes_on() {
    let Some(site) = Site::new(ALLOWED, Limits::default()) else { return };
    let mut remote = site.connect("a test").expect("allowed");
    for name in ["mtux", "", "all", "sysctl.kernel.panic", "../../etc/shadow", "mtu;reboot", "mtu@../lo"] {
        let error = remote.set(name, "1").expect_err(name);
        assert!(matches!(error, RemoteSettingsError::Failed { .. }), "{name}: {error:?}");
        assert!(error.to_string().starts_with("find a setting called"), "{error}");
    }
    for name in
        ["mtu@lo", "mtu@wire", "sysctl.net.ipv4.tcp_wmem", "governor", "offload.tso", "coalesce.rx-usecs"]
    {
        let text = remote.set(name, "1400").expect_err(name).to_string();
        let advice =
            format!("the server's operator does not allow it; start it with --allow-settings {name}");
        assert!(text.ends_with(&advice), "{text}");
    }
    let secret = remote.read("sysctl.net.ipv4.tcp_fastopen_key").expect_err("it is secret");
    assert!(matches!(secret, RemoteSettingsError::NotAllowed { .. }), "{secret:?}");
    let long = "x".repeat(LONGEST_VALUE + 1);
    for (value, why) in [
        ("99999", "it takes a number from 68 to 65535"),
        ("1400\u{1b}[2J", "the value has control characters"),
        (long.as_str(), "a value of 16385 B is too long"),
    ] {
        let text = remote.set("mtu", value).expect_err(why).to_string();
        assert!(text.contains(why), "{text}");
    }
    let text = remote.read("ring.rx").expect_err("a veth has none").to_string();
    assert!(text.starts_with("use ring.rx@wire: the driver of wire has no rings"), "{text}");
    let text = remote.read(&"m".repeat(300)).expect_err("too long").to_string();
    assert!(text.starts_with("find a setting whose name has 300 B"), "{text}");
    assert_eq!(remote.set("mtu", "1400").expect("it goes on").granted.as_str(), "1400");
    assert_eq!(remote.finish().expect("put back").len(), 1);
    site.is_as_before();
}

#[test]
fn an_interface_that_the_operator_named_may_be_named() {
    let Some(site) = Site::new("mtu@lo", Limits::default()) else { return };
    let mut remote = site.connect("a test").expect("allowed");
    let change = remote.set("mtu@lo", "60000").expect("allowed by name");
    assert_eq!((change.setting.to_string(), change.original.as_str()), ("mtu@lo".to_owned(), "65536"));
    let error = remote.set("mtu", "1400").expect_err("that of the wire is not");
    assert!(matches!(error, RemoteSettingsError::NotAllowed { .. }), "{error:?}");
    remote.finish().expect("put back");
    site.is_as_before();
}

#[test]
fn one_connection_changes_so_many_settings_and_no_more() {
    let folders = ["all", "default", "lo", "wire"].map(|name| format!("/proc/sys/net/ipv4/conf/{name}"));
    let files = |folder: &String| fs::read_dir(folder).into_iter().flatten().flatten().collect::<Vec<_>>();
    let Some(lab) = lab(1500) else { return };
    let files = lab.here(|| folders.iter().flat_map(files).collect::<Vec<_>>()).expect("entered");
    let name = |file: &fs::DirEntry| {
        let path = file.path();
        Some(format!("sysctl.{}", path.strip_prefix("/proc/sys").ok()?.to_str()?.replace('/', ".")))
    };
    let names: Vec<_> = files.iter().filter_map(name).collect();
    let Some(site) = Site::new(&names.join(","), Limits::default()) else { return };
    let mut remote = site.connect("a test").expect("allowed");
    let refused = names.iter().find_map(|name| {
        // A value that it has is not refused, and in the journal all the same. Some can only be read.
        let value = remote.read(name).ok()?;
        let text = remote.set(name, value.as_str()).err()?.to_string();
        text.contains("64 settings at most").then_some(text)
    });
    refused.expect("there are more of them");
    assert_eq!(remote.finish().expect("put back").len(), MOST_SETTINGS);
}

/// How a client that holds settings ends.
#[rstest]
#[case::half_closed(|rude: Rude| { rude.half_close(); rude.farewell() }, None)]
#[case::silent(Rude::farewell, None)]
#[case::garbage(|mut rude: Rude| { rude.blurt_frame(&framed(b"\xff{")); rude.farewell() }, Some("does not understand the message"))]
#[case::too_long(|mut rude: Rude| { rude.blurt(&[0xff; 4]); rude.farewell() }, Some("the longest is 65536 B"))]
#[case::a_second_hold(
    |mut rude: Rude| { rude.say(&Ask::Setting(SettingAsk::Hold(String::new()))); rude.farewell() },
    Some("not allowed while the client holds settings")
)]
#[case::a_plan(
    |mut rude: Rude| { rude.say(&Ask::Offer(Box::new(crate::support::plan("")))); rude.farewell() },
    Some("not allowed while the client holds settings")
)]
fn however_a_client_ends_its_changes_are_put_back(
    #[case] end: impl FnOnce(Rude) -> Option<String>,
    #[case] told: Option<&str>,
) {
    let idle = Duration::from_millis(700);
    let Some(site) = Site::new(ALLOWED, Limits { idle, ..Limits::default() }) else { return };
    let mut rude = site.rude();
    set_mtu(&mut rude);
    assert_eq!(site.has("mtu"), "1400");
    let reason = end(rude);
    match told {
        Some(told) => assert!(reason.as_ref().is_some_and(|reason| reason.contains(told)), "{reason:?}"),
        None => assert_eq!(reason, None),
    }
    wait_until_free(&site.folder.0);
    site.is_as_before();
    site.still_serves();
}

#[test]
fn a_connection_that_is_reset_in_the_middle_of_a_message_is_put_back() {
    let Some(site) = Site::new(ALLOWED, Limits::default()) else { return };
    let mut rude = site.rude();
    set_mtu(&mut rude);
    rude.blurt(&[0, 0, 0, 200, b'{']);
    rude.reset();
    wait_until_free(&site.folder.0);
    site.is_as_before();
    site.still_serves();
}

#[rstest]
#[case::read(SettingAsk::Read("mtu".to_owned()))]
#[case::set(SettingAsk::Set { setting: "mtu".to_owned(), value: "1400".to_owned() })]
#[case::stay(SettingAsk::Stay)]
fn nothing_is_read_or_set_before_the_settings_are_held(#[case] ask: SettingAsk) {
    let Some(site) = Site::new(ALLOWED, Limits::default()) else { return };
    for stage in [Stage::Proof, Stage::Plan, Stage::Idle] {
        let mut rude = site.rude_at(stage);
        rude.say(&Ask::Setting(ask.clone()));
        let reason = rude.farewell().expect("it hears why");
        let expected = match stage {
            Stage::Proof => "requires a key first",
            Stage::Plan => "the plan must come first",
            _ => "not allowed at this point",
        };
        assert!(reason.contains(expected), "{stage:?}: {reason}");
    }
    site.is_as_before();
}

#[test]
fn without_root_a_change_is_refused_by_that_name() {
    let (Some(lab), folder) = (lab(1500), Folder::new()) else { return };
    let server = lab.there(|| {
        // Of this thread, and of the server's, which it starts.
        let none = CapabilitySet::empty();
        let sets = CapabilitySets { effective: none, permitted: none, inheritable: none };
        set_capabilities(None, sets).expect("fewer are always granted");
        server(options(ALLOWED, &folder.0), Limits::default())
    });
    let site = Site { server: server.expect("entered"), folder, lab };
    let mut remote = site.connect("a test").expect("that needs no root");
    let text = remote.set("mtu", "1400").expect_err("that does").to_string();
    assert!(text.starts_with("set mtu@wire: that needs root"), "{text}");
    assert_eq!(remote.read("mtu").expect("that does not").as_str(), "1500");
    remote.finish().expect("nothing to do");
}

#[test]
fn a_folder_that_cannot_be_made_is_a_reason_to_refuse() {
    let Some(lab) = lab(1500) else { return };
    let folder = Folder(PathBuf::from("/proc/self/no-such-folder"));
    let server = lab.there(|| server(options(ALLOWED, &folder.0), Limits::default())).expect("entered");
    let site = Site { server, folder, lab };
    let text = site.connect("a test").expect_err("no journal, no changes").to_string();
    assert!(text.contains("failed to make the folder /proc/self/no-such-folder"), "{text}");
    site.still_serves();
}

#[test]
fn a_server_without_allowances_or_without_a_key_changes_nothing() {
    let refusal = |server: &TestServer, key| {
        let target = Target::parse(&server.address.to_string()).expect("an address");
        let refused = RemoteSettings::connect(&target, key, &LocalOptions::default(), "a test");
        refused.expect_err("it may not").to_string()
    };
    let plain = TestServer::start(Limits::default());
    let text = refusal(&plain, Some(&plain.key));
    assert!(text.contains("does not allow any settings; start it with --allow-settings"), "{text}");
    let folder = Folder::new();
    let open = Server::bind((Ipv4Addr::LOCALHOST, 0).into(), None, Limits::default()).expect("a free port");
    open.allow_settings(options(ALLOWED, &folder.0));
    let open = TestServer::of(open, plain.key.clone());
    let text = refusal(&open, None);
    assert!(text.contains("a server without a key changes no settings"), "{text}");
    assert!(!folder.0.exists());
}

/// A server that welcomes one client, lets it hold, and says the rest.
fn impostor(patience: Span, rest: Vec<SettingReply>) -> (Target, JoinHandle<()>) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    let target = Target::parse(&listener.local_addr().expect("an address").to_string()).expect("one");
    let thread = std::thread::spawn(move || {
        let (mut control, _) = listener.accept().expect("the client comes");
        control.read_exact(&mut [0; GREETING_LEN]).expect("it greets");
        control.write_all(&Welcome::new(true, [3; 32]).encode()).expect("it listens");
        let (interface, allowed) = (Some("\u{1b}[2J".to_owned()), vec!["\u{202e}".to_owned()]);
        let held = SettingReply::Held { interface, allowed, patience };
        for reply in [held].into_iter().chain(rest) {
            // The client may have had enough.
            if write_frame(&mut control, &Reply::Setting(reply)).is_err() {
                return;
            }
        }
        io::copy(&mut control, &mut io::sink()).map_or_else(drop, drop);
    });
    (target, thread)
}

#[rstest]
#[case::at_once(Span::ZERO)]
#[case::never(Span::MAX)]
fn a_server_that_says_more_than_can_be_is_not_believed(#[case] patience: Span) {
    let [setting, original] = ["mtu@eth0", "1500"].map(str::to_owned);
    let restored = SettingReply::Restored { setting, original, end: SettingEnd::Back };
    let (target, thread) = impostor(patience, vec![restored; MOST_SETTINGS + 1]);
    let remote = RemoteSettings::connect(&target, None, &LocalOptions::default(), "a test").expect("so far");
    assert_eq!((remote.interface(), remote.allowed()), (Some("\u{fffd}[2J"), &["\u{fffd}".to_owned()][..]));
    let error = remote.finish().expect_err("one more than can be changed");
    assert!(matches!(error, RemoteSettingsError::Connection(PairError::Unexpected { .. })), "{error:?}");
    thread.join().expect("no panic");
}

#[test]
fn an_answer_to_another_question_is_none() {
    let value = SettingReply::Value { setting: "mtu".to_owned(), value: "1500".to_owned() };
    let [setting, original] = ["mtu\u{7}", "1500"].map(str::to_owned);
    let odd = SettingReply::Changed { setting, original: original.clone(), granted: original };
    for reply in [value, odd] {
        let (target, thread) = impostor(Span::ZERO, vec![reply]);
        let remote = RemoteSettings::connect(&target, None, &LocalOptions::default(), "a test");
        let error = remote.expect("so far").set("mtu", "1400").expect_err("no answer");
        assert!(matches!(error, RemoteSettingsError::Connection(PairError::Unexpected { .. })), "{error:?}");
        thread.join().expect("no panic");
    }
}

#[test]
fn a_peer_of_the_version_before_is_too_old_at_either_end() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    let target = Target::parse(&listener.local_addr().expect("an address").to_string()).expect("one");
    let old_server = std::thread::spawn(move || {
        let (mut control, _) = listener.accept().expect("the client comes");
        control.read_exact(&mut [0; GREETING_LEN]).expect("it greets");
        let mut welcome = Welcome::new(true, [3; 32]).encode();
        (welcome[9], welcome[11]) = (4, 0);
        control.write_all(&welcome).expect("it listens");
        control.read_to_end(&mut Vec::new()).expect("it leaves")
    });
    let error = RemoteSettings::connect(&target, None, &LocalOptions::default(), "a test");
    let error = error.expect_err("it does not know settings");
    assert!(matches!(error, RemoteSettingsError::TooOld { .. }), "{error:?}");
    assert!(error.to_string().contains("the peer is too old to change settings"), "{error}");
    assert_eq!(old_server.join().expect("no panic"), 0, "nothing was asked of it");

    let Some(site) = Site::new(ALLOWED, Limits::default()) else { return };
    let mut control = site.lab.here(|| site.server.connect()).expect("entered");
    let mut greeting = Greeting::new(Purpose::Control).encode();
    (greeting[9], greeting[11]) = (4, 0);
    control.write_all(&greeting).expect("it listens");
    let mut welcome = [0; 44];
    control.read_exact(&mut welcome).expect("a welcome");
    let challenge = Welcome::decode(&welcome).expect("of a linerate").challenge;
    let mut old = Rude { control, data: None, challenge, token: [0; 16], seals: None };
    let proof = site.server.key.prove_client(4, &challenge, &[5; 32]);
    old.say(&Ask::Prove { challenge: [5; 32], proof });
    assert!(matches!(old.hear(), Ok(Reply::Proof(_))), "version 4 is still spoken");
    old.say(&Ask::Setting(SettingAsk::Hold("a test".to_owned())));
    let reason = old.farewell().expect("it hears why");
    assert!(reason.contains("settings need version 5 of the protocol"), "{reason}");
}
