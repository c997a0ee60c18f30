//! Commands on other hosts, by the user's own ssh or another program that is called as it is.

use std::ffi::OsString;
use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

use crate::trouble::Trouble;

/// What starts commands on other hosts: a program with options, which is given a host and a shell script.
#[derive(Clone, Debug)]
pub(crate) struct Agent {
    words: Vec<String>,
}

/// A copy of this program on a host. It is removed when this is dropped.
#[derive(Debug)]
pub(crate) struct Deployed {
    agent: Agent,
    host: String,
    /// The folder that was made for it there.
    folder: String,
}

impl Agent {
    /// The one that the user named, or ssh, which then asks for no password.
    pub(crate) fn of(given: Option<&str>) -> Result<Self, Trouble> {
        let words: Vec<String> =
            given.unwrap_or("ssh -o BatchMode=yes").split_whitespace().map(str::to_owned).collect();
        if words.is_empty() {
            return Err(Trouble::new(
                "failed to start anything with an empty --agent",
                "give a command, such as ssh",
            ));
        }
        Ok(Self { words })
    }

    /// The command that runs `script` in a shell of `host`, in a process group of its own: Ctrl-C is for this process.
    fn command(&self, host: &str, script: &str) -> Command {
        let mut command = Command::new(&self.words[0]);
        command.args(&self.words[1..]).arg(host).arg(script).process_group(0);
        command
    }

    /// Starts `script` on `host` with pipes to its standard input and from both of its outputs.
    pub(crate) fn start(&self, host: &str, script: &str) -> Result<Child, Trouble> {
        let mut command = self.command(host, script);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().map_err(|error| self.unstarted(&error))
    }

    fn unstarted(&self, error: &io::Error) -> Trouble {
        let help = if error.kind() == io::ErrorKind::NotFound {
            "install an ssh client, or name another command with --agent"
        } else {
            "give --agent a command that this host can run"
        };
        Trouble::new(format!("failed to start `{}`: {error}", self.words[0]), help)
    }

    /// Runs `script` on `host` with this standard input, to its end; what it printed.
    fn run(&self, host: &str, script: &str, input: &[u8]) -> Result<String, Trouble> {
        let mut child = self.start(host, script)?;
        let given = child.stdin.take().map_or(Ok(()), |mut stdin| stdin.write_all(input));
        let output = child.wait_with_output().map_err(|error| self.unstarted(&error))?;
        let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
        if output.status.success() && given.is_ok() {
            return Ok(said(&output.stdout));
        }
        let reason = said(&output.stderr);
        let last = reason.lines().last().unwrap_or("it ended without a word");
        Err(Trouble::new(
            format!("failed to run a command on {host}: {last}"),
            format!("try `{} {host} true`; it must ask for nothing", self.words.join(" ")),
        ))
    }

    /// Copies this program to a folder of its own on `host`.
    pub(crate) fn deploy(&self, host: &str) -> Result<Deployed, Trouble> {
        let failed = |error: io::Error| {
            Trouble::new(
                format!("failed to read this program: {error}"),
                "leave --deploy out, and install linerate there",
            )
        };
        let program = std::env::current_exe().and_then(std::fs::read).map_err(failed)?;
        let script = "umask 077 && d=$(mktemp -d \"${TMPDIR:-/tmp}/linerate.XXXXXX\") && echo \"$d\" && cat > \"$d/linerate\" && chmod 700 \"$d/linerate\"";
        let folder = self.run(host, script, &program)?;
        let plain = folder.starts_with('/') && !folder.contains(['\'', '\n', '"', '\\']);
        if !plain {
            return Err(Trouble::new(
                format!("failed to copy linerate to {host}: it answered `{folder}` instead of a folder"),
                "let nothing be printed by the shell's start files there",
            ));
        }
        Ok(Deployed { agent: self.clone(), host: host.to_owned(), folder })
    }
}

impl Deployed {
    /// The program on that host, quoted for its shell.
    pub(crate) fn program(&self) -> String {
        format!("'{}/linerate'", self.folder)
    }
}

impl Drop for Deployed {
    fn drop(&mut self) {
        if let Err(trouble) = self.agent.run(&self.host, &format!("rm -rf '{}'", self.folder), &[]) {
            crate::screen::note(trouble.as_caution());
        }
    }
}

/// This program, with these arguments, on this host: with pipes as [`Agent::start`] has them.
pub(crate) fn here(arguments: &[&str]) -> Result<Child, Trouble> {
    let failed = |error: io::Error| {
        Trouble::new(
            format!("failed to start a rank on this host: {error}"),
            "look at `ulimit -u` and `ulimit -n`",
        )
    };
    let program: OsString = std::env::current_exe().map_err(failed)?.into();
    let mut command = Command::new(program);
    command.args(arguments).process_group(0).env_remove("LINERATE_KEY");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().map_err(failed)
}

/// The word as one word of a shell.
pub(crate) fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}
