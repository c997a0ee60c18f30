//! A wire between a history and its server that breaks where a test says.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread;

use linerate_store::Location;

/// When a wire breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Break {
    /// When the client has said the words; the server never hears them.
    Before,
    /// When the server has answered to the words; the client never hears that.
    After,
}

/// What the wire waits for.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) words: &'static [u8],
    pub(crate) how: Break,
    /// How many more connections break so; later ones are whole.
    pub(crate) times: u32,
}

/// A wire to a server.
pub(crate) struct Proxy {
    port: u16,
    plan: Arc<Mutex<Option<Plan>>>,
}

impl Proxy {
    /// A wire to the server that listens on `socket`.
    pub(crate) fn to(socket: &Path) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("its address").port();
        let plan = Arc::new(Mutex::new(None));
        let (plans, socket) = (Arc::clone(&plan), socket.to_owned());
        // Ends with the process.
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let (plans, socket) = (Arc::clone(&plans), socket.clone());
                thread::spawn(move || drop(carry(&client, &socket, &plans)));
            }
        });
        Self { port, plan }
    }

    /// Breaks what follows by `plan`.
    pub(crate) fn set(&self, plan: Plan) {
        *self.plan.lock().expect("nobody panics with it") = Some(plan);
    }

    /// How many times it is still to break.
    pub(crate) fn left(&self) -> u32 {
        self.plan.lock().expect("nobody panics with it").as_ref().map_or(0, |plan| plan.times)
    }

    /// The database `name` over this wire.
    pub(crate) fn location(&self, name: &str) -> Location {
        let port = self.port;
        let url = format!("postgres://linerate:a-secret@127.0.0.1:{port}/{name}?sslmode=disable");
        Location::parse(url.as_ref())
    }
}

/// Carries one connection until it ends or breaks.
fn carry(client: &TcpStream, socket: &Path, plan: &Mutex<Option<Plan>>) -> io::Result<()> {
    let server = UnixStream::connect(socket)?;
    let broken = Arc::new(Mutex::new(false));
    let (mut from_client, mut to_server) = (client.try_clone()?, server.try_clone()?);
    let (mut from_server, mut to_client) = (server.try_clone()?, client.try_clone()?);
    let answers = thread::spawn({
        let broken = Arc::clone(&broken);
        move || {
            let mut bytes = [0; 8192];
            while let Ok(length @ 1..) = from_server.read(&mut bytes) {
                // The answer to the words is here: the server has done what they say.
                if *broken.lock().expect("nobody panics with it")
                    || to_client.write_all(&bytes[..length]).is_err()
                {
                    break;
                }
            }
            let _ = to_client.shutdown(Shutdown::Both);
        }
    });
    let mut bytes = [0; 8192];
    while let Ok(length @ 1..) = from_client.read(&mut bytes) {
        match breaks(&bytes[..length], plan) {
            Some(Break::Before) => break,
            Some(Break::After) => *broken.lock().expect("nobody panics with it") = true,
            None => {}
        }
        to_server.write_all(&bytes[..length])?;
    }
    if !*broken.lock().expect("nobody panics with it") {
        let _ = client.shutdown(Shutdown::Both);
        let _ = server.shutdown(Shutdown::Both);
    }
    drop(answers.join());
    Ok(())
}

/// Whether these bytes are those at which the wire breaks.
fn breaks(bytes: &[u8], plan: &Mutex<Option<Plan>>) -> Option<Break> {
    let mut plan = plan.lock().expect("nobody panics with it");
    let plan = plan.as_mut().filter(|plan| plan.times > 0)?;
    bytes.windows(plan.words.len()).any(|window| window == plan.words).then(|| {
        plan.times -= 1;
        plan.how
    })
}
