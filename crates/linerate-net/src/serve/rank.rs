//! This server as one of a client's ranks.

use std::net::IpAddr;

use linerate_core::plan::MeshMemory;

use super::ServerState;
use super::guard::Guard;
use super::session::Refusal;
use super::turn::queue;
use crate::control::{Control, Key, RANKS_SINCE, RankOrder, Reply};
use crate::ranks::{Meeting, Program, RankError, take_part};

/// Serves a client that wants this host as a rank, until its mesh has ended. Rank 0 is at `port` of the client's host.
pub(super) fn serve(
    server: &ServerState,
    control: &Control,
    (peer, key): (IpAddr, Option<&Key>),
    (port, order): (u16, &RankOrder),
) -> Result<(), Refusal> {
    if control.version() < RANKS_SINCE {
        return Err(Refusal::Told(format!(
            "ranks need version {RANKS_SINCE} of the protocol; use the same version of linerate at both ends"
        )));
    }
    let Some(key) = key else {
        let reason = "ranks need a key, and this server is open; start it without --open";
        return Err(Refusal::Told(reason.to_owned()));
    };
    let memory = check(server, order).map_err(Refusal::Told)?;
    let slot = queue(server, control, peer, memory)?;
    let tell = |reply: &Reply| control.say(reply, server.limits.handshake);
    tell(&Reply::Rank)?;
    let RankOrder { rank, size, .. } = order;
    let what = order.plan.app().map_or("a mesh", |app| &app.name);
    server.log.info(format_args!("{peer}: {what}, as rank {rank} of {size}"));
    let mut rendezvous = control.stream().peer_addr()?;
    rendezvous.set_port(port);
    let meeting = Meeting { addresses: vec![rendezvous.to_string()], key: key.clone() };
    let mut guard = None;
    let done = take_part(
        order,
        server.applications(),
        || Ok(meeting.clone()),
        server.clock,
        |comm| {
            let conductor = comm.conductor().and_then(|stream| stream.try_clone().ok());
            let limit = server.limits.time.to_duration() + server.limits.grace;
            guard = conductor.and_then(|conductor| Guard::set(limit, conductor).ok());
        },
    );
    drop(guard);
    drop(slot);
    match done {
        Ok(()) => {
            server.log.info(format_args!("{peer}: done"));
            // It may have gone, since it has everything.
            let _ = tell(&Reply::Rank);
            Ok(())
        }
        Err(error) => Err(Refusal::Told(format!("the server failed to {error}"))),
    }
}

/// The memory that it needs, if the server allows it. Unit: bytes.
fn check(server: &ServerState, order: &RankOrder) -> Result<u64, String> {
    order.plan.check().map_err(|error| error.to_string())?;
    let ranks = order.size.saturating_sub(order.first);
    let program = Program::of(order, server.applications()).map_err(|error| match error {
        RankError::Plan(error) => error.to_string(),
        other => format!("the server failed to {other}"),
    })?;
    let MeshMemory { message, all } = program.memory(ranks);
    let limits = &server.limits;
    if message > limits.size.0 {
        return Err(format!(
            "messages of {message} B are above this server's limit of {}; ask for smaller ones, or raise --max-size at the server",
            limits.size
        ));
    }
    if all > limits.memory.0 {
        return Err(format!(
            "a rank needs {all} B, more than this server's {} of memory; ask for less, or raise --max-memory at the server",
            limits.memory
        ));
    }
    Ok(all)
}
