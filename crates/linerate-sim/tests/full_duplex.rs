//! The full-duplex link against its closed forms: rates, latency, PAUSE, headroom, watermarks.

mod bench;
mod conservation;
mod headroom;
mod pause;
mod rates;
mod watermarks;
