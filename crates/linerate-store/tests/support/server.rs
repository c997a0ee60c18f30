//! A real PostgreSQL server, of the version that the system has.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use linerate_store::Location;
use tempfile::TempDir;

use super::missing;

/// Where Debian has the programs of every version.
const PROGRAMS: &str = "/usr/lib/postgresql";
/// Nobody in particular: a server refuses to run as root.
const NOBODY: u32 = 65534;
/// How long a server may take to start or to stop.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server of its own, on a Unix socket in its folder.
pub(crate) struct Server {
    programs: PathBuf,
    folder: TempDir,
    /// The number of its socket.
    port: u16,
    /// More of its settings.
    settings: Vec<&'static str>,
    /// The shell that runs it. It ends the server when this process does, whatever ends this process.
    shell: Option<(Child, ChildStdin)>,
}

/// Databases made so far.
static DATABASES: AtomicU32 = AtomicU32::new(0);

impl Server {
    /// The server that tests share; none, with a word, where PostgreSQL is not installed.
    pub(crate) fn shared() -> Option<&'static Self> {
        static SHARED: OnceLock<Option<Server>> = OnceLock::new();
        SHARED.get_or_init(Self::start).as_ref()
    }

    /// A server of one's own.
    pub(crate) fn start() -> Option<Self> {
        let Some(programs) = programs() else {
            missing("PostgreSQL's server (Debian: postgresql)");
            return None;
        };
        let folder = tempfile::Builder::new().prefix("linerate-pg-").tempdir().expect("a folder");
        if rustix::process::geteuid().is_root() {
            chown(folder.path(), Some(NOBODY), Some(NOBODY)).expect("root may give folders away");
        }
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o700)).expect("it is ours");
        let mut server = Self { programs, folder, port: 5432, settings: Vec::new(), shell: None };
        let mut initdb = server.command(&server.programs.join("initdb"));
        initdb.args(["--no-sync", "-A", "trust", "-U", "linerate", "-E", "UTF8", "--locale=C.UTF-8", "-D"]);
        let made = initdb.arg(server.data()).output().expect("initdb runs");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        server.begin();
        Some(server)
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// The socket that it listens on.
    pub(crate) fn socket(&self) -> PathBuf {
        self.folder.path().join(".s.PGSQL.5432")
    }

    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.folder.path()).env("LC_ALL", "C.UTF-8");
        if rustix::process::geteuid().is_root() {
            command.uid(NOBODY).gid(NOBODY);
        }
        command
    }

    /// Starts it again with this port and more settings, and with these files in the folder of its data.
    pub(crate) fn with(mut self, port: u16, settings: &[&'static str], files: &[(&str, &str)]) -> Self {
        self.kill();
        for (name, content) in files {
            let path = self.data().join(name);
            fs::write(&path, content).expect("written");
            fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("it is ours");
            if rustix::process::geteuid().is_root() {
                chown(&path, Some(NOBODY), Some(NOBODY)).expect("root may give files away");
            }
        }
        self.port = port;
        self.settings.extend_from_slice(settings);
        self.begin();
        self
    }

    /// Starts it, and waits until it answers.
    pub(crate) fn begin(&mut self) {
        let mut shell = self.command(Path::new("/bin/sh"));
        // QUIT ends a server at once, without a tidy end: as a failure would.
        // A folder that nobody is left to remove goes with it.
        let script = "trap '' INT; \"$0\" \"$@\" </dev/null >log 2>&1 & p=$!; read -r kept; kill -QUIT $p; wait $p; \
                      [ -n \"$kept\" ] || rm -rf \"$PWD\"";
        shell.args(["-c", script]).arg(self.programs.join("postgres")).arg("-D").arg(self.data());
        shell.args(["-c", "listen_addresses=", "-c", "fsync=off", "-c", "max_connections=50", "-k"]);
        shell.arg(self.folder.path());
        shell
            .arg("-p")
            .arg(self.port.to_string())
            .args(self.settings.iter().flat_map(|setting| ["-c", setting]));
        let mut child = shell.stdin(Stdio::piped()).spawn().expect("a shell runs");
        let stdin = child.stdin.take().expect("it is piped");
        self.shell = Some((child, stdin));
        let begun = Instant::now();
        while self.psql("postgres", "SELECT 1").is_err() {
            let log = || fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
            assert!(begun.elapsed() < PATIENCE, "the server does not start: {}", log());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Kills it as a failure would: no connection is told, nothing is tidied up.
    pub(crate) fn kill(&mut self) {
        if let Some((mut child, mut stdin)) = self.shell.take() {
            stdin.write_all(b"kept\n").expect("it listens");
            drop(stdin);
            child.wait().expect("it ends");
        }
    }

    /// Runs a statement; gives what it says.
    pub(crate) fn psql(&self, database: &str, sql: &str) -> Result<String, String> {
        let mut psql = self.command(&self.programs.join("psql"));
        psql.args(["-XAtq", "-v", "ON_ERROR_STOP=1", "-U", "linerate", "-d", database, "-c", sql, "-p"]);
        psql.arg(self.port.to_string()).arg("-h");
        let said = psql.arg(self.folder.path()).output().expect("psql runs");
        match said.status.success() {
            true => Ok(String::from_utf8_lossy(&said.stdout).trim().to_owned()),
            false => Err(String::from_utf8_lossy(&said.stderr).into_owned()),
        }
    }

    /// Makes a database and gives its name.
    pub(crate) fn new_name(&self) -> String {
        let name = format!("history_{}", DATABASES.fetch_add(1, Ordering::Relaxed));
        self.psql("postgres", &format!("CREATE DATABASE {name}")).expect("a database");
        name
    }

    /// Makes a database.
    pub(crate) fn new_database(&self) -> Location {
        self.location(&self.new_name(), "linerate")
    }

    /// The database `name` as `user`.
    pub(crate) fn location(&self, name: &str, user: &str) -> Location {
        let folder = self.folder.path().display();
        Location::parse(format!("postgres:///{name}?host={folder}&user={user}").as_ref())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The programs of the newest version.
fn programs() -> Option<PathBuf> {
    let versions = fs::read_dir(PROGRAMS).ok()?.flatten().map(|entry| entry.path().join("bin"));
    let number = |path: &PathBuf| -> Option<u32> { path.parent()?.file_name()?.to_str()?.parse().ok() };
    versions.filter(|path| path.join("initdb").exists()).max_by_key(number)
}
