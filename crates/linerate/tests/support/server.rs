//! A server on the loopback, or wherever its command says.

use std::process::Command;

use super::process::Process;
use super::{Desk, PROGRAM};

/// A running `linerate serve`; it ends with the test.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) process: Process,
    /// Where it listens.
    pub(crate) address: String,
    /// The key that it printed; none if it printed none.
    pub(crate) key: Option<String>,
}

impl Server {
    /// Starts a server on a free port of the loopback.
    pub(crate) fn start(desk: &Desk, options: &[&str]) -> Self {
        let arguments = [&["serve", "--listen", "127.0.0.1:0"], options].concat();
        Self::from(desk.command(PROGRAM, &arguments))
    }

    /// Starts a server by `command` and waits until it listens.
    pub(crate) fn from(command: Command) -> Self {
        let process = Process::start(command);
        let line = process.stdout.until(|line| line.starts_with("linerate serve: listening on "));
        let (_, address) = line.rsplit_once(' ').expect("the address is the last word");
        let line = process.stdout.until(|line| !line.is_empty());
        let key = line.strip_prefix("key ").map(str::to_owned);
        Self { process, address: address.to_owned(), key }
    }

    /// The key that it printed.
    pub(crate) fn key(&self) -> &str {
        self.key.as_deref().expect("it made a key")
    }

    /// The arguments with which a client measures here.
    pub(crate) fn measure<'a>(&'a self, options: &[&'a str]) -> Vec<&'a str> {
        let mut arguments = vec!["measure", &self.address];
        if let Some(key) = &self.key {
            arguments.extend(["--key", key]);
        }
        arguments.extend(options);
        arguments
    }
}
