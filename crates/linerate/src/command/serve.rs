//! `linerate serve`.

use std::io::{self, BufRead};
use std::net::{Ipv4Addr, SocketAddr};
use std::os::fd::AsFd;
use std::path::Path;
use std::process::ExitCode;

use linerate_core::units::{Size, Span};
use linerate_net::DEFAULT_PORT;
use linerate_net::control::Key;
#[cfg(on_linux)]
use linerate_net::serve::{GuardianProgram, SettingsOptions, may_change_settings};
use linerate_net::serve::{Limits, Server};
use tracing_subscriber::EnvFilter;

use super::ranks::application;
use crate::cli::ServeArgs;
use crate::notify;
use crate::screen::{note, show};
use crate::signals;
use crate::store;
use crate::trouble::Trouble;

pub(super) fn run(args: &ServeArgs) -> Result<ExitCode, Trouble> {
    if args.child { child(args) } else { serve(args) }
}

fn serve(args: &ServeArgs) -> Result<ExitCode, Trouble> {
    crate::signals::serve_on();
    let filter = EnvFilter::try_from_env("LINERATE_LOG").unwrap_or_else(|_| EnvFilter::new("info"));
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_target(false).with_writer(io::stderr);
    log.with_ansi(console::colors_enabled_stderr()).init();
    let key = match (&args.key_file, args.open) {
        (_, true) => None,
        (Some(path), false) => Some(read_key(path)?),
        (None, false) => Some(Key::fresh().map_err(|error| no_random(&error))?),
    };
    let allowed = args.allow_unauthenticated_control;
    let key = key.map(|key| key.allow_unauthenticated_control(allowed));
    // Before anything is printed, so that a program that waits for the line can already stop the
    // server.
    let stop = signals::stop_descriptor().map_err(|error| {
        Trouble::new(format!("failed to listen for Ctrl-C: {error}"), "look at `ulimit -n`")
    })?;
    let server = bind(args, key.clone())?;
    #[cfg(on_linux)]
    allow_settings(args, &server)?;
    // A pipe has its content once.
    if let Some(path) = args.key_file.clone().filter(|path| path.is_file()) {
        server.read_key_again(Box::new(move || {
            let key = read_key(&path).map_err(|trouble| trouble.reason())?;
            Ok(key.allow_unauthenticated_control(allowed))
        }));
    }
    server.run_applications(application);
    announce(&server, key.as_ref(), args.key_file.is_some())?;
    notify::tell("READY=1");
    server.run_and_tell(stop.as_fd(), || notify::tell("STOPPING=1"))?;
    note("linerate serve: stopped");
    Ok(ExitCode::SUCCESS)
}

fn bind(args: &ServeArgs, key: Option<Key>) -> Result<Server, Trouble> {
    let bound = match args.listen {
        Some(address) => Server::bind(address, key, args.limits()),
        None => Server::bind_everywhere(args.port.unwrap_or(DEFAULT_PORT), key, args.limits()),
    };
    Ok(bound?)
}

/// Lets clients change the settings that the operator named, watched over by this program again.
#[cfg(on_linux)]
fn allow_settings(args: &ServeArgs, server: &Server) -> Result<(), Trouble> {
    if args.allow_settings.is_empty() {
        return Ok(());
    }
    if !may_change_settings() {
        note(
            "linerate serve: --allow-settings will change nothing: this process is not root, and settings need root",
        );
    }
    let program = std::env::current_exe().map_err(|error| {
        Trouble::new(
            format!("failed to find this program, which puts settings back: {error}"),
            "leave --allow-settings out",
        )
    })?;
    let arguments = ["restore", "--guard"].map(Into::into).into();
    server.allow_settings(SettingsOptions {
        allowed: args.allow_settings.clone(),
        folder: crate::settings::folder(),
        guardian: Some(GuardianProgram { program, arguments }),
    });
    Ok(())
}

fn announce(server: &Server, key: Option<&Key>, from_file: bool) -> Result<(), Trouble> {
    let address =
        server.address().map_err(|error| Trouble::new(error.to_string(), "give --listen an address"))?;
    let host = if address.ip().is_unspecified() { "THIS-HOST".to_owned() } else { host_of(address) };
    let port = if address.port() == DEFAULT_PORT { String::new() } else { format!(":{}", address.port()) };
    let (key_line, flag) = match key {
        None => ("open: anyone who can reach this port may measure".to_owned(), String::new()),
        Some(_) if from_file => ("the key is the one in the file".to_owned(), " --key-file FILE".to_owned()),
        Some(key) => (format!("key {key}"), format!(" --key {key}")),
    };
    show(&format!(
        "linerate serve: listening on {address}\n{key_line}\non the other host: linerate measure {host}{port}{flag}\n"
    ))
}

fn host_of(address: SocketAddr) -> String {
    match address {
        SocketAddr::V4(address) => address.ip().to_string(),
        SocketAddr::V6(address) => format!("[{}]", address.ip()),
    }
}

/// Reads a key from a file.
pub(super) fn read_key(path: &Path) -> Result<Key, Trouble> {
    let text = store::text(path).map_err(|error| {
        Trouble::file(
            "read the key from",
            path,
            &error,
            "name a file that holds the key and that you may read",
        )
    })?;
    text.parse().map_err(|error| {
        Trouble::new(
            format!("failed to read the key from {}: {error}", path.display()),
            "write a random key into it, such as the output of `openssl rand -hex 16`",
        )
    })
}

/// Serves the parent process: its key comes on the first line of standard input, and the end of
/// standard input stops the server.
fn child(args: &ServeArgs) -> Result<ExitCode, Trouble> {
    signals::leave_to_parent().map_err(|error| Trouble::new(error.to_string(), "look at `ulimit -n`"))?;
    let stdin = io::stdin();
    let mut line = String::new();
    let read = stdin.lock().read_line(&mut line);
    read.map_err(|error| Trouble::new(error.to_string(), "`--child` is for linerate itself"))?;
    let key: Key =
        line.parse().map_err(|error| Trouble::new(format!("{error}"), "`--child` is for linerate itself"))?;
    // The parent limits its own plan, and may do as much itself; nobody else has the key.
    let limits = Limits {
        size: Size(u64::MAX),
        time: Span::MAX,
        memory: Size(u64::MAX),
        programs: true,
        ..Limits::default()
    };
    let address = args.listen.unwrap_or(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)));
    let server = Server::bind(address, Some(key), limits)?;
    server.run_applications(application);
    let address = server.address().map_err(|error| Trouble::new(error.to_string(), "check the loopback"))?;
    show(&format!("{address}\n"))?;
    server.run(stdin.as_fd())?;
    Ok(ExitCode::SUCCESS)
}

fn no_random(error: &io::Error) -> Trouble {
    Trouble::new(format!("failed to make a key: {error}"), "give one with --key-file")
}
