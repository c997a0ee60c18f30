//! Every plan under `plans/` shows what it says.

mod bursts;
mod collisions;
mod curves;
mod documentation;
mod every;
mod marking;
mod pause;
mod relays;
mod rounds;
mod saturated;
mod shipped;
