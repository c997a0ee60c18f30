//! A process in the background, which never outlives its test.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, kill_process_group, pidfd_open};

use super::PATIENCE;

/// A running program; it is killed and reaped when this is dropped.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    pub(crate) stdout: Lines,
    pub(crate) stderr: Lines,
}

impl Process {
    /// Starts `command` in a process group of its own, as a shell does with a job.
    pub(crate) fn start(mut command: Command) -> Self {
        use std::os::unix::process::CommandExt as _;
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        let mut child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let stdout = Lines::of(child.stdout.take().expect("it is piped"));
        let stderr = Lines::of(child.stderr.take().expect("it is piped"));
        Self { child, stdout, stderr }
    }

    pub(crate) fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    /// The processor time that it has used. Unit: clock ticks of 10 ms (proc_pid_stat(5)).
    pub(crate) fn ticks(&self) -> u64 {
        let path = format!("/proc/{}/stat", self.pid().as_raw_nonzero());
        let stat = std::fs::read_to_string(path).expect("it is not reaped");
        let (_, fields) = stat.rsplit_once(')').expect("its name is in brackets");
        let times = fields.split_whitespace().skip(11).take(2);
        times.map(|ticks| ticks.parse::<u64>().expect("a count")).sum()
    }

    /// Waits until it has worked for this many more ticks.
    pub(crate) fn works_for(&self, ticks: u64) {
        let until = self.ticks() + ticks;
        wait_for("it to work", || (self.ticks() >= until).then_some(()));
    }

    /// Sends `signal` to this process alone.
    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(self.pid(), signal).expect("it is ours and not reaped");
    }

    /// Sends Ctrl-C as a terminal does: to the process and to those that it started.
    pub(crate) fn press_ctrl_c(&self) {
        kill_process_group(self.pid(), Signal::INT).expect("the group is ours");
    }

    /// Waits for the end.
    pub(crate) fn wait(&mut self, within: Duration) -> ExitStatus {
        assert!(ends(self.pid(), within), "it did not end within {within:?}");
        self.child.wait().expect("it is our child")
    }

    /// Waits for the end; the exit code and all that was said since it was last listened to.
    pub(crate) fn finish(mut self) -> super::Said {
        let code = self.wait(PATIENCE).code();
        super::Said { code, stdout: self.stdout.rest(), stderr: self.stderr.rest() }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Both fail only when the process has been waited for.
        self.child.kill().unwrap_or(());
        drop(self.child.wait());
    }
}

/// Whether process `pid` ends `within` the time. One that is gone has ended.
pub(crate) fn ends(pid: Pid, within: Duration) -> bool {
    let Ok(descriptor) = pidfd_open(pid, PidfdFlags::empty()) else { return true };
    let mut watched = [PollFd::new(&descriptor, PollFlags::IN)];
    let deadline = Instant::now() + within;
    loop {
        let left =
            Timespec::try_from(deadline.saturating_duration_since(Instant::now())).expect("it is short");
        match poll(&mut watched, Some(&left)) {
            Err(Errno::INTR) => {}
            ready => return ready.expect("a process can be polled") == 1,
        }
    }
}

/// The processes that have `mark` in their environment.
pub(crate) fn marked(mark: &str) -> Vec<Pid> {
    let processes = std::fs::read_dir("/proc").expect("there is /proc");
    let pid = |entry: std::fs::DirEntry| entry.file_name().to_str()?.parse().ok().and_then(Pid::from_raw);
    let has_mark = |pid: &Pid| {
        // A process that is gone by now has no mark.
        let environment =
            std::fs::read(format!("/proc/{}/environ", pid.as_raw_nonzero())).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes())
    };
    processes.flatten().filter_map(pid).filter(has_mark).collect()
}

/// Waits until `found` finds something, which another process brings about.
pub(crate) fn wait_for<T>(what: &str, mut found: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = found() {
            return found;
        }
        assert!(Instant::now() < deadline, "waited too long for {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// What a program says, line by line.
#[derive(Debug)]
pub(crate) struct Lines(Receiver<String>);

impl Lines {
    fn of(stream: impl Read + Send + 'static) -> Self {
        let (sender, receiver) = channel();
        // It ends with the stream, and the stream with the program.
        std::thread::spawn(move || {
            for line in BufReader::new(stream).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Self(receiver)
    }

    /// Listens until `wanted` is said.
    #[track_caller]
    pub(crate) fn until(&self, wanted: impl Fn(&str) -> bool) -> String {
        let mut said = Vec::new();
        let deadline = Instant::now() + PATIENCE;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.0.recv_timeout(left) {
                Ok(line) if wanted(&line) => return line,
                Ok(line) => said.push(line),
                Err(RecvTimeoutError::Timeout) => panic!("it only said, and went on: {said:#?}"),
                Err(RecvTimeoutError::Disconnected) => panic!("it only said, and ended: {said:#?}"),
            }
        }
    }

    /// Everything to the end of the stream.
    pub(crate) fn rest(&self) -> String {
        self.0.iter().map(|line| line + "\n").collect()
    }
}
