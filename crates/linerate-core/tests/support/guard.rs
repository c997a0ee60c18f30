//! What tests make goes with their program, also when that is killed: a shell waits for its end, however it ends. Then
//! it ends the processes that bear this program's mark, and removes what was registered.
//!
//! A test still removes everything itself; what is not there any more is left in peace.

use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, OnceLock, PoisonError};

/// The variable in the environment of the processes that are to end with this program.
const NAME: &str = "TEST_OF_LINERATE";

/// Its standard input is closed when this program has ended. Processes get SIGTERM, and SIGKILL after 3 s.
const SCRIPT: &str = r#"
trap '' INT TERM HUP
registered=
while read -r command; do
  registered="$registered$command
"
done
marked() { grep -lsxzF "$1" /proc/[0-9]*/environ | cut -d/ -f3; }
for nth in $(seq 60); do
  left=$(marked "$1")
  [ -n "$left" ] || break
  [ "$nth" != 1 ] || kill -s TERM $left
  [ "$nth" -lt 30 ] || kill -s KILL $left
  sleep 0.1
done
eval "$registered"
"#;

/// The mark, as a name and a value for [`Command::env`].
pub(crate) fn mark() -> (&'static str, String) {
    start();
    (NAME, std::process::id().to_string())
}

/// Runs this command when this program has ended.
pub(crate) fn at_end(command: &[&str]) {
    let quoted = |word: &&str| format!("'{}'", word.replace('\'', r"'\''"));
    let words: Vec<String> = command.iter().map(quoted).collect();
    let mut shell = start().lock().unwrap_or_else(PoisonError::into_inner);
    let input = shell.stdin.as_mut().expect("it is piped");
    writeln!(input, "{}", words.join(" ")).expect("the shell listens");
}

/// Removes this folder when this program has ended.
pub(crate) fn remove_at_end(folder: &Path) {
    at_end(&["rm", "-rf", folder.to_str().expect("its name is text")]);
}

/// The shell, which outlives this program. It has a group of its own, so that no Ctrl-C and no `timeout` reaches it.
fn start() -> &'static Mutex<Child> {
    static SHELL: OnceLock<Mutex<Child>> = OnceLock::new();
    SHELL.get_or_init(|| {
        let mark = format!("{NAME}={}", std::process::id());
        let mut shell = Command::new("sh");
        shell.args(["-c", SCRIPT, "guard", &mark]).process_group(0);
        shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        Mutex::new(shell.spawn().expect("a shell runs"))
    })
}
