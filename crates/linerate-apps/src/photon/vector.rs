//! Vectors in space.

/// x, y and z. Unit of a place: metres.
pub(crate) type Vector = [f64; 3];

#[inline]
pub(crate) fn dot(a: &Vector, b: &Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// `a` and `factor` times `b`.
#[inline]
pub(crate) fn along(a: &Vector, factor: f64, b: &Vector) -> Vector {
    [a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2]]
}

pub(crate) fn cross(a: &Vector, b: &Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(crate) fn length(a: &Vector) -> f64 {
    dot(a, a).sqrt()
}

pub(crate) fn scaled(a: &Vector, factor: f64) -> Vector {
    a.map(|part| part * factor)
}

/// The same direction with the length 1.
pub(crate) fn unit(a: &Vector) -> Vector {
    scaled(a, 1.0 / length(a))
}
