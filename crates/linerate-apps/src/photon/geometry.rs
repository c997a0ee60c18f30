//! A scene made ready for rays: where a ray hits first.

use super::scene::{Patch, Scene};
use super::vector::{Vector, along, cross, dot, length, scaled, unit};

/// Nearer than this share of the scene's size, only a front side is hit: so a photon that starts in an edge neither leaves
/// through it nor hits the patch that it left from behind.
const NEAR: f64 = 1e-9;
/// How far outside of a patch a hit may lie, as a share of its edges: rays into an edge find one of the two patches.
const EDGE: f64 = 1e-9;
/// How often a ray crosses the end of a repeating scene before it is given up: it flies along the patches.
const MOST_CROSSINGS: u32 = 1_000_000;
/// No patch: a ray that starts in the air.
pub(crate) const NOWHERE: usize = usize::MAX;

/// A patch with what rays need of it.
#[derive(Clone, Debug)]
pub(crate) struct Face {
    corner: Vector,
    u: Vector,
    v: Vector,
    /// A place's product with it is the distance from the plane, less `offset`.
    normal: Vector,
    offset: f64,
    /// A place's products with them, from the corner, are its coordinates u and v.
    across: [Vector; 2],
    /// Directions along the patch, at right angles.
    tangents: [Vector; 2],
    pub(crate) diffuse: f64,
    /// Diffuse and mirror together.
    pub(crate) albedo: f64,
}

/// Where a ray hits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hit {
    pub(crate) patch: usize,
    /// From 0 to 1 along both edges.
    pub(crate) at: [f64; 2],
    /// 1 on the front, -1 on the back.
    pub(crate) side: f64,
}

/// All faces.
#[derive(Clone, Debug)]
pub(crate) struct Geometry {
    pub(crate) faces: Vec<Face>,
    repeat: Vector,
    repeats: bool,
    near: f64,
}

impl Face {
    fn new(patch: &Patch) -> Self {
        let (u, v) = (patch.u, patch.v);
        let product = cross(&u, &v);
        let square = dot(&product, &product);
        let normal = unit(&product);
        let first = unit(&u);
        Self {
            corner: patch.corner,
            u,
            v,
            normal,
            offset: dot(&normal, &patch.corner),
            across: [scaled(&cross(&v, &product), 1.0 / square), scaled(&cross(&product, &u), 1.0 / square)],
            tangents: [first, cross(&normal, &first)],
            diffuse: patch.diffuse,
            albedo: patch.albedo(),
        }
    }

    /// The place with the coordinates u and v.
    #[inline]
    pub(crate) fn place(&self, at: &[f64; 2]) -> Vector {
        along(&along(&self.corner, at[0], &self.u), at[1], &self.v)
    }

    /// A direction from a side of it, by its parts along the patch and away from it.
    #[inline]
    pub(crate) fn direction(&self, parts: &[f64; 2], away: f64) -> Vector {
        let inside = along(&scaled(&self.tangents[0], parts[0]), parts[1], &self.tangents[1]);
        along(&inside, away, &self.normal)
    }

    /// The parts along the patch of the way back of a ray.
    #[inline]
    pub(crate) fn back(&self, direction: &Vector) -> [f64; 2] {
        [-dot(direction, &self.tangents[0]), -dot(direction, &self.tangents[1])]
    }

    /// The direction of a ray that it reflects like a mirror.
    #[inline]
    pub(crate) fn mirrored(&self, direction: &Vector) -> Vector {
        unit(&along(direction, -2.0 * dot(direction, &self.normal), &self.normal))
    }
}

impl Geometry {
    /// The scene was checked.
    pub(crate) fn new(scene: &Scene) -> Self {
        let faces: Vec<Face> = scene.patches.iter().map(Face::new).collect();
        let size = faces.iter().map(|face| length(&face.u) + length(&face.v)).fold(0.0, f64::max);
        let repeats = scene.repeat.iter().any(|period| *period > 0.0);
        Self { faces, repeat: scene.repeat, repeats, near: NEAR * size }
    }

    /// What a ray from `origin` hits, that starts on patch `start` or [`NOWHERE`]. `Err` if it was given up.
    #[inline]
    pub(crate) fn hit(
        &self,
        start: usize,
        origin: Vector,
        direction: &Vector,
    ) -> Result<Option<Hit>, GivenUp> {
        if self.repeats {
            self.hit_in_cells(start, origin, direction)
        } else {
            Ok(self.first(start, &origin, direction, f64::INFINITY))
        }
    }

    /// What it hits before it has gone `reach`.
    #[inline]
    fn first(&self, start: usize, origin: &Vector, direction: &Vector, reach: f64) -> Option<Hit> {
        let (mut nearest, mut found) = (reach, None);
        for (patch, face) in self.faces.iter().enumerate() {
            let towards = dot(&face.normal, direction);
            let distance = (face.offset - dot(&face.normal, origin)) / towards;
            // Also false for a ray along the plane, whose distance is infinite or none.
            let ahead = distance > self.near || (distance > -self.near && towards < 0.0);
            if !ahead || distance >= nearest || patch == start {
                continue;
            }
            let from_corner = along(&along(origin, distance, direction), -1.0, &face.corner);
            let at = [dot(&from_corner, &face.across[0]), dot(&from_corner, &face.across[1])];
            if at.iter().all(|coordinate| (-EDGE..=1.0 + EDGE).contains(coordinate)) {
                nearest = distance;
                found = Some((patch, at, towards));
            }
        }
        let (patch, at, towards) = found?;
        let at = at.map(|coordinate| coordinate.clamp(0.0, 1.0));
        Some(Hit { patch, at, side: if towards < 0.0 { 1.0 } else { -1.0 } })
    }

    /// The same in a scene that repeats: a ray that leaves the cell enters it on the other side.
    fn hit_in_cells(
        &self,
        mut start: usize,
        mut origin: Vector,
        direction: &Vector,
    ) -> Result<Option<Hit>, GivenUp> {
        for _ in 0..MOST_CROSSINGS {
            let Some((axis, reach)) = self.end_of_cell(&origin, direction) else {
                return Ok(self.first(start, &origin, direction, f64::INFINITY));
            };
            if let Some(hit) = self.first(start, &origin, direction, reach) {
                return Ok(Some(hit));
            }
            origin = along(&origin, reach, direction);
            origin[axis] = if direction[axis] > 0.0 { 0.0 } else { self.repeat[axis] };
            start = NOWHERE;
        }
        Err(GivenUp)
    }

    /// Through which end of the cell a ray leaves, by axis, and how far that is; none if it leaves by none.
    fn end_of_cell(&self, origin: &Vector, direction: &Vector) -> Option<(usize, f64)> {
        let ends = (0..3).filter(|axis| self.repeat[*axis] > 0.0 && direction[*axis] != 0.0).map(|axis| {
            let end = if direction[axis] > 0.0 { self.repeat[axis] } else { 0.0 };
            (axis, ((end - origin[axis]) / direction[axis]).max(0.0))
        });
        ends.min_by(|a, b| a.1.total_cmp(&b.1))
    }
}

/// A ray flew along the patches of a repeating scene for too long.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GivenUp;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::photon::ShippedScene;

    const FLOOR: usize = 0;
    const WEST: usize = 2;
    const EAST: usize = 3;

    fn hit(at: [f64; 2], parts: [f64; 2], away: f64) -> Option<Hit> {
        let cube = Geometry::new(&ShippedScene::Furnace.scene());
        let origin = cube.faces[FLOOR].place(&at);
        let direction = unit(&cube.faces[FLOOR].direction(&parts, away));
        cube.hit(FLOOR, origin, &direction).expect("nothing repeats")
    }

    #[test]
    fn a_ray_from_an_edge_hits_the_wall_there_or_the_one_beyond() {
        // On the edge, and so near to it that the wall's plane lies on either side by rounding.
        for u in [0.0, 1e-17, 1e-13] {
            let outwards = hit([u, 0.5], [-1.0, 0.0], 0.5).expect("the wall");
            assert_eq!((outwards.patch, outwards.side > 0.0), (WEST, true), "from {u}");
            let inwards = hit([u, 0.5], [1.0, 0.0], 0.5).expect("the wall beyond");
            assert_eq!((inwards.patch, inwards.side > 0.0), (EAST, true), "from {u}");
            assert!((inwards.at[0] - 0.5).abs() < 1e-9, "half a metre up on one metre: {inwards:?}");
        }
    }

    #[test]
    fn a_ray_along_a_wall_misses_it() {
        let found = hit([0.0, 0.5], [0.0, 1.0], 0.5).expect("the north wall");
        assert_eq!(found.patch, 5);
    }

    #[test]
    fn directions_of_a_patch_are_right_angled() {
        let face = &Geometry::new(&ShippedScene::SmallRoom.scene()).faces[9];
        let direction = unit(&face.direction(&[0.3, -0.4], -0.7));
        let mirrored = face.mirrored(&direction);
        assert!((dot(&direction, &face.normal) + dot(&mirrored, &face.normal)).abs() < 1e-15);
        let [back, back_mirrored] = [face.back(&direction), face.back(&mirrored)];
        for (one, other) in back.iter().zip(back_mirrored) {
            assert!((one - other).abs() < 1e-15);
        }
        assert!((back[0] / back[1] - 0.3 / -0.4).abs() < 1e-12 && back[0] < 0.0);
    }
}
