//! One line for all: what a full-duplex repeater leaves of collectives and rounds of pairs.
//!
//! The closed forms of a shared medium add up all bytes: floor(P / 2) n beta for a round of pairs of n bytes each, and
//! P (P - 1) m beta for an alltoall of blocks of m. The model has frames, so `n beta` is here what the frames of a message
//! occupy of the line, and the medium is idle while the first frame comes in and the last goes out.

use linerate_core::comm::Comm as _;
use linerate_core::comm::algorithm::Alltoall;
use linerate_core::comm::collective::alltoall;
use linerate_core::units::{Span, Time};
use linerate_sim::ranks::HEADER_BYTES;

use super::{OnModel, last};

/// At 1 Gb/s. Unit: nanoseconds.
const BYTE_NS: u64 = 8;
/// Of a frame besides its payload: preamble 8, header and FCS 18, IP and TCP 40, gap 12. Unit: bytes.
const AROUND: u64 = 78;
/// The most payload of a frame. Unit: bytes.
const SEGMENT: u64 = 1460;
/// A frame without payload, with preamble and gap. Unit: bytes.
const LEAST: u64 = 84;
/// One cable of 100 m at 5.56 ns a metre.
const CABLE: Span = Span::from_ns(556);
/// Frames after which a receiver acknowledges.
const ACKNOWLEDGED: u64 = 500;

/// A repeater with room for all that is on its way: nobody has to PAUSE.
fn repeater(stations: usize) -> OnModel {
    OnModel::of(&format!(
        "[network]\nmedium = 'ethernet'\ntopology = 'distributor'\nstations = {stations}\npause = 'asymmetric'\n\
         queue = '4MiB'\n[transport]\nwindow = '1MiB'\nacknowledge-every = {ACKNOWLEDGED}\n"
    ))
}

/// What a message occupies of the line.
fn occupied(bytes: u64) -> Span {
    let all = bytes + HEADER_BYTES as u64;
    Span::from_ns((all + all.div_ceil(SEGMENT) * AROUND) * BYTE_NS)
}

/// The most that acknowledgements occupy for so many messages: one for every 500 frames, and one for what is left.
fn acknowledged(bytes: u64, messages: u64) -> Span {
    let frames = (bytes + HEADER_BYTES as u64).div_ceil(SEGMENT);
    Span::from_ns((frames / ACKNOWLEDGED + 1) * messages * LEAST * BYTE_NS)
}

/// What passes before the medium is busy, and after it was: a frame into the repeater and one out of it, over two cables.
fn ends() -> Span {
    Span::from_ns(2 * (SEGMENT + AROUND) * BYTE_NS) + CABLE * 2
}

/// Between what the medium is occupied, less the last gap, and that with acknowledgements and the idle times.
#[track_caller]
fn assert_within(found: Time, occupied: Span, more: Span, what: &str) {
    let found = found.since(Time::from_ps(0));
    let least = occupied - Span::from_ns(12 * BYTE_NS);
    assert!(found >= least && found <= occupied + more, "{what}: {found}, of {least} to {}", occupied + more);
    // The bound says something: it is a few hundredths wide.
    assert!(more.as_ps() * 20 < occupied.as_ps(), "{what}: {more} beside {occupied}");
}

#[test]
fn a_round_of_all_pairs_takes_as_many_messages_as_there_are_pairs() {
    const BYTES: u64 = 256 << 10;
    for ranks in [2, 3, 5, 8, 12] {
        let found = last(&repeater(ranks), async |comm| {
            let (rank, mut data) = (comm.rank(), vec![0; BYTES as usize]);
            match rank {
                rank if rank == ranks / 2 * 2 => Ok(()),
                rank if rank % 2 == 0 => comm.send_to(rank + 1, &data).await,
                rank => comm.recv_from(rank - 1, &mut data).await,
            }
        });
        let pairs = ranks as u64 / 2;
        let more = ends() + acknowledged(BYTES, pairs);
        assert_within(found, occupied(BYTES) * pairs, more, &format!("{ranks} ranks"));
    }
}

/// Between two steps of the pairwise exchange the medium may be idle while a frame goes out and the next comes in.
#[test]
fn an_alltoall_takes_the_blocks_of_every_pair_one_after_another() {
    const BLOCK: u64 = 64 << 10;
    for ranks in [2, 4, 5, 8, 12] {
        let found = last(&repeater(ranks), async |comm| {
            let (out, mut into) = (vec![0; ranks * BLOCK as usize], vec![0; ranks * BLOCK as usize]);
            alltoall(comm, Alltoall::Pairwise, &out, &mut into).await
        });
        let (ranks, steps) = (ranks as u64, ranks as u64 - 1);
        let messages = ranks * steps;
        let more = ends() * steps + acknowledged(BLOCK, messages);
        assert_within(found, occupied(BLOCK) * messages, more, &format!("{ranks} ranks"));
    }
}
