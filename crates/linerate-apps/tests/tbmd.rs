//! Tight-binding molecular dynamics against the model's paper, eigenvalues and closed forms.

mod bloch;
mod crystals;
mod forces;
mod functions;
mod molecules;
mod products;
mod refused;
mod shared;
mod times;
