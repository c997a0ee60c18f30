//! Settings of this host, changed for a client and put back when its connection ends.

mod holding;
mod interface;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use super::ServerState;
use super::allowed::AllowedSetting;
use super::client::Client;
use super::log::Log;
use super::session::Refusal;
use crate::control::{Ask, SETTINGS_SINCE, SettingAsk};
use crate::settings::DEFAULT_FOLDER;
use holding::Holding;
pub(super) use interface::interface_of;

/// Every change is to be in the log, and a client that changes settings all the time must not fill a disk. Unit: lines
/// in 10 s.
const LINES: u32 = 200;
/// What a change has cut off is put back this much later.
const CUT_OFF: Duration = Duration::from_secs(5);

/// What clients may set on this host, and what sees to it that it is put back.
#[derive(Clone, Debug)]
pub struct SettingsOptions {
    /// What they may read and set. If empty, nothing.
    pub allowed: Vec<AllowedSetting>,
    /// Where the journals are, and the lock of who changes settings.
    pub folder: PathBuf,
    /// The program that puts settings back when the server is killed. If absent, `linerate restore` does, once somebody
    /// starts it.
    pub guardian: Option<GuardianProgram>,
}

impl Default for SettingsOptions {
    fn default() -> Self {
        Self { allowed: Vec::new(), folder: DEFAULT_FOLDER.into(), guardian: None }
    }
}

/// A program that calls [`guard`](crate::settings::guard) with its standard input and output, of the journal that is its
/// last argument.
#[derive(Clone, Debug)]
pub struct GuardianProgram {
    /// Its file.
    pub program: PathBuf,
    /// Its arguments before the journal.
    pub arguments: Vec<OsString>,
}

impl GuardianProgram {
    fn command(&self, journal: &Path) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).arg(journal);
        command
    }
}

/// Whether this process is root. Without that the kernel refuses nearly every change.
#[must_use]
pub fn may_change_settings() -> bool {
    rustix::process::geteuid().is_root()
}

/// The settings of this host, as the connections' threads share them.
#[derive(Debug)]
pub(super) struct Settings {
    options: OnceLock<SettingsOptions>,
    /// Whether the server stops. Locked as long as a client holds the settings.
    stopping: Mutex<bool>,
    log: Log,
}

impl Default for Settings {
    fn default() -> Self {
        Self { options: OnceLock::new(), stopping: Mutex::default(), log: Log::of(LINES) }
    }
}

impl Settings {
    /// Lets clients do what `options` say. Only the first call counts.
    pub(super) fn allow(&self, options: SettingsOptions) {
        self.options.get_or_init(|| options);
    }

    /// Waits until whoever holds the settings has put them back, and lets nobody hold them any more.
    pub(super) fn close(&self) {
        *self.lock() = true;
    }

    fn lock(&self) -> MutexGuard<'_, bool> {
        self.stopping.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How long a client may be silent after a change, which may have cut it off.
fn after_change(server: &ServerState) -> Duration {
    server.limits.idle.min(CUT_OFF)
}

/// Serves a client that holds the settings, until it has finished or its connection has ended. Neither a slot nor the
/// queue has to do with it.
pub(super) fn serve(client: Client<'_>, what: &str) -> Result<(), Refusal> {
    if client.version() < SETTINGS_SINCE {
        return Err(Refusal::Told(format!(
            "settings need version {SETTINGS_SINCE} of the protocol; use the same version of linerate at both ends"
        )));
    }
    // Whatever ends it, the settings are put back when it is dropped.
    let mut holding = Holding::begin(client, what)?;
    let idle = client.server.limits.idle;
    let mut patience = idle;
    loop {
        let ask = client.hear(patience)?;
        let changes = matches!(ask, Ask::Setting(SettingAsk::Set { .. }));
        patience = if changes { after_change(client.server) } else { idle };
        match ask {
            Ask::Setting(SettingAsk::Read(setting)) => holding.read(&setting)?,
            Ask::Setting(SettingAsk::Set { setting, value }) => holding.set(&setting, &value)?,
            Ask::Setting(SettingAsk::Check) => holding.check()?,
            Ask::Setting(SettingAsk::Stay) => {}
            Ask::Finish => return holding.finish(),
            _ => {
                return Err(Refusal::Told(
                    "this message is not allowed while the client holds settings".to_owned(),
                ));
            }
        }
    }
}
