//! Images of the atoms that other ranks move, and of a rank's own at the other side of the box.
//!
//! In three stages, one for each axis: every rank sends what is near its lower face down and what is near its upper face
//! up, and what it received in earlier stages too, so that edges and corners need no messages of their own. Along an axis
//! that is not cut a rank makes its own images, without a message.

use linerate_core::comm::{Comm, CommError};

use super::grid::Part;
use super::particles::Particles;
use crate::atoms::{Vector, doubles};

/// What goes over one face at every step.
#[derive(Clone, Debug)]
struct Border {
    axis: usize,
    /// To whom, and from whom what comes in return: none if both are this rank.
    peers: Option<[usize; 2]>,
    /// Which atoms.
    sent: Vec<u32>,
    /// What is added to their coordinate along the axis.
    shift: f64,
    /// How many come in return.
    received: usize,
}

/// What goes over all faces.
#[derive(Clone, Debug, Default)]
pub(super) struct Borders {
    all: Vec<Border>,
    out: Vec<u8>,
    into: Vec<u8>,
}

/// Numbers of a new image in a message: its atom's number, and its place.
const IMAGE: usize = 4;

impl Borders {
    /// Finds what is within `reach` of each face and makes the images: six messages with counts, six with atoms, fewer where
    /// an axis is not cut. `atoms` has this rank's own only.
    pub(super) async fn make(
        &mut self,
        comm: &mut impl Comm,
        atoms: &mut Particles,
        box_of: (&Part, Vector),
        reach: f64,
    ) -> Result<(), CommError> {
        let (part, sides) = box_of;
        self.all.clear();
        for (axis, side) in sides.into_iter().enumerate() {
            let before = atoms.len();
            for up in [false, true] {
                let near = |index: &u32| {
                    let place = atoms.place[axis][*index as usize];
                    if up { place >= part.high[axis] - reach } else { place < part.low[axis] + reach }
                };
                let sent: Vec<u32> = (0..before as u32).filter(near).collect();
                let across = if up { -side } else { side };
                let shift = if part.is_last(axis, up) { across } else { 0.0 };
                let peers = (part.grid[axis] > 1).then(|| [part.beside(axis, up), part.beside(axis, !up)]);
                let mut border = Border { axis, peers, sent, shift, received: 0 };
                self.images(comm, atoms, &mut border).await?;
                self.all.push(border);
            }
        }
        Ok(())
    }

    /// The first images of one face.
    async fn images(
        &mut self,
        comm: &mut impl Comm,
        atoms: &mut Particles,
        border: &mut Border,
    ) -> Result<(), CommError> {
        let image = |index: &u32| {
            let mut place = atoms.at(*index as usize);
            place[border.axis] += border.shift;
            (atoms.id[*index as usize], place)
        };
        let images: Vec<(u32, Vector)> = border.sent.iter().map(image).collect();
        let Some([to, from]) = border.peers else {
            border.received = images.len();
            images.into_iter().for_each(|(id, place)| atoms.push_image(id, place));
            return Ok(());
        };
        self.out.clear();
        for (id, [x, y, z]) in images {
            doubles::append(&mut self.out, &[f64::from(id), x, y, z]);
        }
        exchange(comm, [to, from], &self.out, &mut self.into).await?;
        for image in doubles::all(&self.into).as_chunks::<IMAGE>().0 {
            atoms.push_image(image[0] as u32, [image[1], image[2], image[3]]);
            border.received += 1;
        }
        Ok(())
    }

    /// Moves every image to where its atom is now: six messages of 24 B for each atom, fewer where an axis is not cut.
    /// The images begin at index `first`.
    pub(super) async fn refresh(
        &mut self,
        comm: &mut impl Comm,
        atoms: &mut Particles,
        first: usize,
    ) -> Result<(), CommError> {
        let mut next = first;
        for border in &self.all {
            let end = next + border.received;
            if let Some([to, from]) = border.peers {
                self.out.resize(24 * border.sent.len(), 0);
                for (place, index) in self.out.as_chunks_mut::<24>().0.iter_mut().zip(&border.sent) {
                    let mut at = atoms.at(*index as usize);
                    at[border.axis] += border.shift;
                    doubles::write(place, &at);
                }
                self.into.resize(24 * border.received, 0);
                comm.sendrecv(to, &self.out, from, &mut self.into).await?;
                for (place, index) in self.into.as_chunks::<24>().0.iter().zip(next..end) {
                    let mut at = [0.0; 3];
                    doubles::read(&mut at, place);
                    (0..3).for_each(|axis| atoms.place[axis][index] = at[axis]);
                }
            } else {
                for (axis, places) in atoms.place.iter_mut().enumerate() {
                    let shift = if axis == border.axis { border.shift } else { 0.0 };
                    for (index, from) in (next..end).zip(&border.sent) {
                        places[index] = places[*from as usize] + shift;
                    }
                }
            }
            next = end;
        }
        Ok(())
    }
}

/// Exchanges two messages of any length: first how long they are, in 8 B, then what they are.
pub(super) async fn exchange(
    comm: &mut impl Comm,
    peers: [usize; 2],
    out: &[u8],
    into: &mut Vec<u8>,
) -> Result<(), CommError> {
    let [to, from] = peers;
    let mut length = [0; 8];
    comm.sendrecv(to, &(out.len() as u64).to_le_bytes(), from, &mut length).await?;
    // A rank that sends another length than it says is refused by the carrier.
    let length = usize::try_from(u64::from_le_bytes(length)).unwrap_or(0);
    if length > MOST {
        return Err(CommError::Length { peer: from, asked: MOST, sent: length });
    }
    into.clear();
    into.resize(length, 0);
    comm.sendrecv(to, out, from, into).await
}

/// The longest message of atoms: 2^31 B, more than a rank's memory holds of them.
const MOST: usize = 1 << 31;
