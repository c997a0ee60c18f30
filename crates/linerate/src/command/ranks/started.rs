//! Ranks that were started: threads and processes here, on other hosts, and servers that were asked.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStderr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use linerate_core::foreign::plain;
use linerate_net::pair::ServerRank;
use linerate_net::ranks::Absent;

use super::member::Told;
use crate::agent::Deployed;
use crate::screen::note;
use crate::trouble::Trouble;

/// How long a rank may take to end once the mesh has.
const END: Duration = Duration::from_secs(10);
/// Between two looks at whether it has.
const LOOK: Duration = Duration::from_millis(20);
/// The longest line of a rank that is shown. Unit: bytes.
const LONGEST: usize = 1000;

/// Everything that was started. It is ended when this is dropped.
#[derive(Debug, Default)]
pub(super) struct Started {
    inside: Mutex<Inside>,
}

#[derive(Debug, Default)]
struct Inside {
    ranks: Vec<Process>,
    /// Each with which rank it is.
    servers: Vec<(usize, ServerRank)>,
    /// Those that could not be started.
    absent: Vec<Absent>,
    threads: Vec<JoinHandle<Result<(), Trouble>>>,
    /// Removed after the ranks have ended.
    deployed: Vec<Deployed>,
    is_over: bool,
    /// Why no more are started.
    trouble: Option<Trouble>,
}

/// A process that is a rank, or that waits for one on another host.
#[derive(Debug)]
struct Process {
    rank: usize,
    name: String,
    child: Child,
    /// The last line that it wrote to standard error.
    last: Arc<Mutex<String>>,
}

impl Started {
    fn lock(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a process that is to be the rank `told` on the host `name`, and tells it so.
    pub(super) fn add(&self, name: &str, mut child: Child, told: &Told) {
        let last = Arc::new(Mutex::new(String::new()));
        if let Some(stderr) = child.stderr.take() {
            let (name, last) = (name.to_owned(), Arc::clone(&last));
            let listening =
                thread::Builder::new().stack_size(128 << 10).spawn(move || listen(&name, stderr, &last));
            drop(listening);
        }
        let line = serde_json::to_string(told).expect("it is plain text");
        if let Some(stdin) = &mut child.stdin {
            // If it has ended, that is seen by its end.
            let _ = writeln!(stdin, "{line}");
        }
        self.lock().ranks.push(Process { rank: told.order.rank, name: name.to_owned(), child, last });
    }

    pub(super) fn add_server(&self, rank: usize, server: ServerRank) {
        self.lock().servers.push((rank, server));
    }

    /// A rank could not be started, for this reason; the others can.
    pub(super) fn miss(&self, rank: usize, reason: String) {
        self.lock().absent.push(Absent { rank, reason });
    }

    /// Nobody is waited for any more. What was started for those that are absent is ended: a host that does not answer takes no
    /// more time.
    pub(super) fn met(&self, is_absent: impl Fn(usize) -> bool) {
        let mut inside = self.lock();
        inside.is_over = true;
        inside.servers.retain(|(rank, _)| !is_absent(*rank));
        for Process { child, .. } in inside.ranks.iter_mut().filter(|process| is_absent(process.rank)) {
            let _ = child.kill();
        }
    }

    pub(super) fn add_thread(&self, thread: JoinHandle<Result<(), Trouble>>) {
        self.lock().threads.push(thread);
    }

    pub(super) fn add_deployed(&self, deployed: Deployed) {
        self.lock().deployed.push(deployed);
    }

    /// No more are started, because of this.
    pub(super) fn fail(&self, trouble: Trouble) {
        self.lock().trouble.get_or_insert(trouble);
    }

    /// Whether nobody is waited for any more.
    pub(super) fn is_over(&self) -> bool {
        self.lock().is_over
    }

    /// Why starting failed, if it did.
    pub(super) fn trouble(&self) -> Option<Trouble> {
        self.lock().trouble.take()
    }

    /// Who will not come any more, and why: nobody ends before all have met. An error if none may.
    pub(super) fn hope(&self) -> Result<Vec<Absent>, String> {
        let mut inside = self.lock();
        if let Some(trouble) = &inside.trouble {
            return Err(trouble.reason());
        }
        let mut absent = inside.absent.clone();
        for Process { rank, name, child, last } in &mut inside.ranks {
            if let Ok(Some(status)) = child.try_wait() {
                let last = last.lock().unwrap_or_else(PoisonError::into_inner);
                let said = if last.is_empty() { String::new() } else { format!(": {last}") };
                absent.push(Absent {
                    rank: *rank,
                    reason: format!("the rank on {name} ended ({status}){said}"),
                });
            }
        }
        if let Some(ended) = inside.threads.iter().position(JoinHandle::is_finished) {
            let reason = match inside.threads.swap_remove(ended).join() {
                Ok(Err(trouble)) => trouble.reason(),
                _ => "it ended".to_owned(),
            };
            return Err(format!("a rank ended: {reason}"));
        }
        for place in (0..inside.servers.len()).rev() {
            if let Some(reason) = inside.servers[place].1.gave_up() {
                let (rank, _) = inside.servers.swap_remove(place);
                inside.absent.push(Absent { rank, reason: reason.clone() });
                absent.push(Absent { rank, reason });
            }
        }
        Ok(absent)
    }
}

/// Shows what a rank has to say, with its host's name, and keeps the last line.
fn listen(name: &str, stderr: ChildStderr, last: &Mutex<String>) {
    let mut lines = BufReader::new(stderr);
    let mut line = Vec::new();
    while matches!(lines.read_until(b'\n', &mut line), Ok(1..)) {
        line.truncate(LONGEST);
        let text = plain(String::from_utf8_lossy(&line).trim_end());
        line.clear();
        if !text.trim().is_empty() {
            note(format_args!("{name}: {text}"));
            text.trim().clone_into(&mut last.lock().unwrap_or_else(PoisonError::into_inner));
        }
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        let inside = self.inside.get_mut().unwrap_or_else(PoisonError::into_inner);
        inside.servers.clear();
        let deadline = Instant::now() + END;
        for Process { child, .. } in &mut inside.ranks {
            drop(child.stdin.take());
            while matches!(child.try_wait(), Ok(None)) && Instant::now() < deadline {
                thread::sleep(LOOK);
            }
            if matches!(child.try_wait(), Ok(None)) {
                let _ = child.kill();
                let _ = child.wait();
            }
        }
        // They end when rank 0 does, and with this process.
        inside.threads.clear();
        // A folder is removed after what runs from it.
        inside.deployed.clear();
    }
}
