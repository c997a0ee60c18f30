//! This server as one of a client's ranks.

use linerate_core::plan::MeshMemory;

use super::ServerState;
use super::client::{Client, Envelope, Needs};
use super::session::Refusal;
use crate::control::{Key, RANKS_SINCE, RankOrder, Reply};
use crate::ranks::{Meeting, Oversight, Program, RankError, take_part};

/// What a rank holds of each other one: its row of the table with the longest name, the same row while the seal is checked,
/// and the connection with it. Unit: bytes.
const EACH_RANK: u64 = 1 << 10;

/// Serves a client that wants this host as a rank, until its mesh has ended. Rank 0 is at `port` of the client's host.
pub(super) fn serve(
    client: Client<'_>,
    key: Option<&Key>,
    (port, order): (u16, &RankOrder),
) -> Result<(), Refusal> {
    let Client { server, peer, .. } = client;
    if client.version() < RANKS_SINCE {
        return Err(Refusal::Told(format!(
            "ranks need version {RANKS_SINCE} of the protocol; use the same version of linerate at both ends"
        )));
    }
    let Some(key) = key else {
        let reason = "ranks need a key, and this server is open; start it without --open";
        return Err(Refusal::Told(reason.to_owned()));
    };
    let memory = check(server, order).map_err(Refusal::Told)?;
    // A mesh lasts as long as the server lets anything last: only rank 0 knows when it ends.
    let envelope = Envelope::enter(client, Needs { memory, time: server.limits.time })?;
    client.say(&Reply::Rank)?;
    let RankOrder { rank, size, .. } = order;
    let what = order.plan.app().map_or("a mesh", |app| &app.name);
    server.log.info(format_args!("{peer}: {what}, as rank {rank} of {size}"));
    let [_, mut rendezvous] = client.addresses()?;
    rendezvous.set_port(port);
    let meeting = Meeting { addresses: vec![rendezvous.to_string()], key: key.clone() };
    let oversight = Oversight { discreet: true, ..Oversight::default() };
    envelope.guard(Box::new(oversight.cancel.clone()));
    let find = server.applications();
    let done = take_part(order, find, || Ok(meeting.clone()), server.clock, oversight);
    drop(envelope);
    match done {
        Ok(()) => {
            server.log.info(format_args!("{peer}: done"));
            // It may have gone, since it has everything.
            let _ = client.say(&Reply::Rank);
            Ok(())
        }
        Err(_) if client.has_left() => Err(Refusal::left()),
        Err(error) => Err(Refusal::Told(format!("the server failed to {error}"))),
    }
}

/// The memory that it needs, if the server allows it. Unit: bytes.
fn check(server: &ServerState, order: &RankOrder) -> Result<u64, String> {
    let ranks = order.size.saturating_sub(order.first);
    let program = Program::of(order, server.applications()).map_err(|error| match error {
        RankError::Plan(error) => error.to_string(),
        other => format!("the server failed to {other}"),
    })?;
    let MeshMemory { message, all } = program.memory(ranks);
    let all = all.saturating_add(EACH_RANK.saturating_mul(order.size as u64));
    let limits = &server.limits;
    if message > limits.size.0 {
        return Err(format!(
            "messages of {message} B are above this server's limit of {}; ask for smaller ones, or raise --max-size at the server",
            limits.size
        ));
    }
    Ok(all)
}
