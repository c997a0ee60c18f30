//! Settings of a server's host: what clients may do with them, and that they are put back whoever ends how.

mod killed;
mod refused;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use linerate_core::plan::LocalOptions;
use linerate_net::control::{Ask, Key, Reply, SettingAsk, SettingEnd, SettingReply};
use linerate_net::lab::{THERE, TwoHosts, WIRE};
use linerate_net::pair::{RemoteSettings, RemoteSettingsError, Target};
use linerate_net::serve::{AllowedSetting, GuardianProgram, Limits, Server, SettingsOptions};
use linerate_net::settings::{self, Setting, Value};

use crate::support::rude::{Rude, Stage};
use crate::support::{TestServer, guard, lab};

/// What the server's host begins with.
const ORIGINALS: [(&str, &str); 3] =
    [("mtu", "1500"), ("qdisc", "noqueue"), ("sysctl.net.ipv4.tcp_rmem", RMEM)];
const RMEM: &str = "4096 100000 200000";
const ALLOWED: &str = "mtu,qdisc,ring,txqueuelen,sysctl.net.ipv4.tcp_rmem";

/// A server on one of two hosts, whose clients are on the other.
struct Site {
    server: TestServer,
    folder: Folder,
    lab: TwoHosts,
}

/// A folder for the server's journals, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("linerate-remote-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        guard::remove_at_end(&folder);
        Self(folder)
    }

    fn journals(&self) -> usize {
        settings::journals(&self.0).expect("readable").len()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A server that nobody asked has not made it.
        fs::remove_dir_all(&self.0).unwrap_or(());
    }
}

/// What clients may set, with journals in `folder`.
fn options(allowed: &str, folder: &Path) -> SettingsOptions {
    let allowed = allowed.split(',').map(|name| name.parse::<AllowedSetting>().expect(name)).collect();
    SettingsOptions { allowed, folder: folder.to_owned(), guardian: None }
}

/// A server with a key, in the calling thread's network namespace.
fn server(options: SettingsOptions, limits: Limits) -> TestServer {
    let key = Key::fresh().expect("random numbers");
    // Old versions are tried too.
    let served = key.clone().allow_unauthenticated_control(true);
    let server = Server::bind((THERE, 0).into(), Some(served), limits).expect("a free port");
    server.allow_settings(options);
    TestServer::of(server, key)
}

impl Site {
    fn new(allowed: &str, limits: Limits) -> Option<Self> {
        Self::guarded(allowed, limits, None)
    }

    fn guarded(allowed: &str, limits: Limits, guardian: Option<GuardianProgram>) -> Option<Self> {
        let (lab, folder) = (lab(1500)?, Folder::new());
        let server = lab.there(|| {
            let rmem: Setting = "sysctl.net.ipv4.tcp_rmem".parse().expect("good");
            settings::write(&rmem, &RMEM.into()).expect("root may");
            server(SettingsOptions { guardian, ..options(allowed, &folder.0) }, limits)
        });
        Some(Self { server: server.expect("entered"), folder, lab })
    }

    fn connect(&self, what: &str) -> Result<RemoteSettings, RemoteSettingsError> {
        let target = Target::parse(&self.server.address.to_string()).expect("an address");
        let connect =
            || RemoteSettings::connect(&target, Some(&self.server.key), &LocalOptions::default(), what);
        self.lab.here(connect).expect("entered")
    }

    /// A client by hand that holds the settings.
    fn rude(&self) -> Rude {
        let mut rude = self.rude_at(Stage::Plan);
        rude.say(&Ask::Setting(SettingAsk::Hold("a rude test".to_owned())));
        assert!(matches!(rude.hear(), Ok(Reply::Setting(SettingReply::Held { .. }))));
        rude
    }

    fn rude_at(&self, stage: Stage) -> Rude {
        self.lab.here(|| Rude::at(&self.server, stage)).expect("entered")
    }

    /// What the server's host has, as the kernel says there.
    fn has(&self, name: &str) -> String {
        let setting = name.parse::<Setting>().expect(name).or_of(Some(WIRE));
        let value = self.lab.there(|| settings::read(&setting)).expect("entered");
        value.expect(name).as_str().to_owned()
    }

    /// Sets it there, as somebody else on that host does.
    fn set_there(&self, name: &str, value: &str) {
        let setting = name.parse::<Setting>().expect(name).or_of(Some(WIRE));
        let change = self.lab.there(|| settings::write(&setting, &value.into())).expect("entered");
        assert_eq!(change.expect(name).granted, Value::from(value));
    }

    fn is_as_before(&self) {
        for (name, value) in ORIGINALS {
            assert_eq!(self.has(name), value, "{name}");
        }
        assert_eq!(self.folder.journals(), 0, "nothing is left to be put back");
    }

    fn still_serves(&self) {
        self.lab.here(|| self.server.still_serves()).expect("entered");
    }
}

/// Waits until nobody holds the settings whose lock is in `folder`: the server has put them back before.
fn wait_until_free(folder: &Path) {
    let mut files = fs::read_dir(folder).expect("the server made it").flatten();
    let is_lock = |path: &PathBuf| path.extension().is_some_and(|end| end == "lock");
    let lock = files.find_map(|file| Some(file.path()).filter(is_lock)).expect("it was held once");
    fs::File::open(lock).expect("readable").lock().expect("it becomes free");
}

/// Sets the MTU by hand.
fn set_mtu(rude: &mut Rude) {
    let (setting, value) = ("mtu".to_owned(), "1400".to_owned());
    rude.say(&Ask::Setting(SettingAsk::Set { setting, value }));
    let reply = rude.hear();
    assert!(matches!(reply, Ok(Reply::Setting(SettingReply::Changed { .. }))), "{reply:?}");
}

#[test]
fn settings_of_the_other_host_are_read_set_and_put_back() {
    let Some(site) = Site::new(ALLOWED, Limits::default()) else { return };
    let mut remote = site.connect("a test").unwrap_or_else(|error| panic!("failed to {error}"));
    assert_eq!(remote.interface(), Some(WIRE));
    assert_eq!(remote.allowed().join(","), ALLOWED);
    assert_eq!(remote.read("mtu").expect("allowed").as_str(), "1500");
    let first = remote.set("mtu", "1400").expect("allowed");
    assert_eq!(first.setting.to_string(), "mtu@wire");
    assert_eq!(
        [&first.original, &first.asked, &first.granted],
        [&"1500".into(), &"1400".into(), &"1400".into()]
    );
    let second = remote.set("mtu", "1300").expect("allowed");
    assert_eq!([second.original.as_str(), second.granted.as_str()], ["1500", "1300"], "the first original");
    let rmem = remote.set("sysctl.net/ipv4/tcp_rmem", "4096  20000\t30000").expect("allowed");
    assert_eq!([rmem.original.as_str(), rmem.granted.as_str()], [RMEM, "4096 20000 30000"]);
    assert_eq!([site.has("mtu"), site.has("sysctl.net.ipv4.tcp_rmem")], ["1300", "4096 20000 30000"]);
    assert_eq!(remote.foreign().expect("connected"), []);
    let outcomes = remote.finish().expect("put back");
    let ends: Vec<_> = outcomes
        .iter()
        .map(|outcome| (outcome.setting.to_string(), outcome.original.as_str(), outcome.end.clone()))
        .collect();
    let back = |name: &str, original| (name.to_owned(), original, SettingEnd::Back);
    assert_eq!(ends, [back("sysctl.net.ipv4.tcp_rmem", RMEM), back("mtu@wire", "1500")], "the last first");
    site.is_as_before();
}

/// What it changed may be why it is silent. About 5 s.
#[test]
fn what_a_client_changed_that_is_silent_after_is_undone_long_before_it_counts_as_idle() {
    let idle = Duration::from_secs(3600);
    let Some(site) = Site::new(ALLOWED, Limits { idle, ..Limits::default() }) else { return };
    let mut rude = site.rude();
    set_mtu(&mut rude);
    assert_eq!(site.has("mtu"), "1400");
    wait_until_free(&site.folder.0);
    site.is_as_before();
}

#[test]
fn what_somebody_else_changes_there_is_named_and_left_alone() {
    let Some(site) = Site::new(ALLOWED, Limits::default()) else { return };
    let mut remote = site.connect("a test").expect("allowed");
    remote.set("txqueuelen", "7").expect("allowed");
    remote.set("mtu", "1400").expect("allowed");
    site.set_there("mtu", "1350");
    let foreign = remote.foreign().expect("connected");
    let [one] = &foreign[..] else { panic!("{foreign:?}") };
    assert_eq!((one.setting.to_string(), one.ours.as_str()), ("mtu@wire".to_owned(), "1400"));
    assert_eq!(one.theirs, Ok("1350".into()));
    let outcomes = remote.finish().expect("connected");
    let (ours, theirs) = ("1400".to_owned(), "1350".to_owned());
    assert_eq!(outcomes[0].end, SettingEnd::Foreign { ours, theirs });
    assert_eq!((outcomes[0].end.is_done(), &outcomes[1].end), (false, &SettingEnd::Back));
    assert_eq!(site.has("mtu"), "1350");
    assert_eq!(site.folder.journals(), 1, "the original value is still known");
}

#[test]
fn a_holder_needs_no_slot_and_may_be_idle_while_others_measure() {
    let idle = Duration::from_millis(400);
    let Some(site) = Site::new(ALLOWED, Limits { slots: 1, waiting: 1, idle, ..Limits::default() }) else {
        return;
    };
    let mut remote = site.connect("a long cell").expect("allowed");
    remote.set("mtu", "1400").expect("allowed");
    site.still_serves();
    // Nothing is waited for here: that time passes is what the test is about.
    std::thread::sleep(idle * 4);
    site.still_serves();
    assert_eq!(site.has("mtu"), "1400", "it is still held");
    assert_eq!(remote.read("mtu").expect("still connected").as_str(), "1400");
    remote.finish().expect("put back");
    site.is_as_before();
}

#[test]
fn one_client_at_a_time_changes_settings_and_the_other_hears_who() {
    let Some(site) = Site::new(ALLOWED, Limits::default()) else { return };
    let mut first = site.connect("sizes of rings").expect("it is free");
    first.set("mtu", "1400").expect("allowed");
    let refused = site.connect("the second").expect_err("it is taken");
    assert!(matches!(refused, RemoteSettingsError::Refused { .. }), "{refused:?}");
    let text = refused.to_string();
    assert!(text.contains("for 198.18.0.1: sizes of rings"), "{text}");
    assert_eq!(site.has("mtu"), "1400", "the second has changed nothing");
    first.finish().expect("put back");
    wait_until_free(&site.folder.0);
    site.connect("the third").expect("it is free again").finish().expect("nothing to do");
    site.is_as_before();
}

#[test]
fn the_settings_are_put_back_before_a_server_has_stopped() {
    let Some(mut site) = Site::new(ALLOWED, Limits::default()) else { return };
    let mut remote = site.connect("a test").expect("allowed");
    remote.set("mtu", "1400").expect("allowed");
    site.server.stop();
    site.is_as_before();
    let error = remote.set("mtu", "1300").expect_err("the server has gone");
    assert!(matches!(error, RemoteSettingsError::Connection(_)), "{error:?}");
}
