//! Media other than Ethernet, from their plans.

use linerate_core::units::{Rate, Span};

use super::{Built, unused};
use crate::atm::{self, Atm};
use crate::fddi::{self, Fddi};
use crate::fibre_channel::{self, FibreChannel};
use crate::framing::Framing;
use crate::medium::Medium;
use crate::myrinet::{self, Myrinet};
use crate::plan::{AtmPlan, FddiPlan, FibreChannelPlan, ModelError, MyrinetPlan, require};

/// Glass fibre, one way. Unit: picoseconds per metre. Source: a refractive index of 1.5.
const FIBRE_PS_PER_METRE: f64 = 5_000.0;
/// The longest cable: a greater length is a mistake. Unit: metres.
const LONGEST_M: f64 = 40_000_000.0;

/// The delay of the cable, one way.
pub(super) fn delay(length_m: f64, ps_per_metre: f64) -> Result<Span, ModelError> {
    let ok = (0.0..=LONGEST_M).contains(&length_m);
    require(ok, "network.length-m", length_m, "it must be from 0 m to 40000 km")?;
    Ok(Span::from_seconds(length_m * ps_per_metre / 1e12))
}

/// The longest latency of a station or a switch: a greater one is a mistake.
const LONGEST_LATENCY: Span = Span::from_ms(1_000);

/// Checks a latency that the plan gives under `key`.
pub(super) fn latency(key: &'static str, latency: Span) -> Result<Span, ModelError> {
    require(latency <= LONGEST_LATENCY, key, latency, "it must be at most 1 s")?;
    Ok(latency)
}

/// What all of them have in common.
fn built(medium: Medium, line_rate: Rate, framing: Framing) -> Built {
    Built {
        medium,
        line_rate,
        framing,
        header_bytes: 0,
        least_frame: 1,
        half_duplex: false,
        cautions: Vec::new(),
    }
}

fn refused(key: &'static str, error: impl std::fmt::Display) -> ModelError {
    ModelError::value(key, "not possible", error.to_string())
}

pub(super) fn atm(plan: &AtmPlan) -> Result<Built, ModelError> {
    let lines = [
        ("OC-3c", atm::Line::OC3C),
        ("OC-12c", atm::Line::OC12C),
        ("DS3", atm::Line::DS3),
        ("E3", atm::Line::E3),
    ];
    let line = lines.iter().find(|(name, _)| name.eq_ignore_ascii_case(&plan.phy));
    let unknown = || ModelError::value("network.phy", &plan.phy, "it must be OC-3c, OC-12c, DS3 or E3");
    let (_, line) = *line.ok_or_else(unknown)?;
    let encapsulation =
        if plan.llc_snap { atm::Encapsulation::LlcSnap } else { atm::Encapsulation::VcMultiplexed };
    let switch = atm::Switch {
        queue_cells: plan.queue_cells,
        early_packet_discard: plan.early_discard_cells,
        latency: Span::ZERO,
    };
    let topology = match plan.stations {
        2 => atm::Topology::BackToBack,
        stations => atm::Topology::Switched { stations, switch },
    };
    let parameters = atm::Parameters {
        line,
        encapsulation,
        mtu_bytes: plan.mtu,
        delay: delay(plan.length_m, FIBRE_PS_PER_METRE)?,
        topology,
    };
    let medium = Atm::new(parameters).map_err(|error| refused("network", error))?;
    let rate = Rate::from_bits_per_second(line.payload_bits_per_second as f64);
    let built = built(Medium::Atm(medium), rate, Framing::Atm(encapsulation));
    Ok(Built { cautions: unused::of_atm(plan), ..built })
}

pub(super) fn fddi(plan: &FddiPlan) -> Result<Built, ModelError> {
    delay(plan.length_m, FIBRE_PS_PER_METRE)?;
    fddi::parameters::check_packet(plan.mtu)
        .map_err(|error| ModelError::value("network.mtu", plan.mtu, error.to_string()))?;
    // Checked before memory is allocated for each of them.
    let some = (2..=fddi::parameters::MAX_STATIONS as u32).contains(&plan.stations);
    require(some, "network.stations", plan.stations, "a ring has from 2 to 500")?;
    let station = fddi::parameters::StationParameters {
        latency: latency("network.station-latency", plan.station_latency)?,
        fibre_metres: plan.length_m.round() as u32,
        synchronous: Span::ZERO,
    };
    let parameters =
        fddi::parameters::Parameters { ttrt: plan.ttrt, stations: vec![station; plan.stations as usize] };
    let ring = Fddi::new(&parameters).map_err(|error| refused("network", error))?;
    Ok(built(Medium::Fddi(ring), Rate::from_mbps(100.0), Framing::Fddi))
}

pub(super) fn fibre_channel(plan: &FibreChannelPlan) -> Result<Built, ModelError> {
    use fibre_channel::{Baud, Encapsulation, Parameters, Switch, Topology};
    let ok = plan.mbaud > 0.0 && plan.mbaud <= 1e6;
    require(ok, "network.mbaud", plan.mbaud, "it must be above 0 and at most 1000000")?;
    let credits = u16::try_from(plan.credits)
        .map_err(|_| ModelError::value("network.credits", plan.credits, "it must be from 1 to 65535"))?;
    let payload = u32::try_from(plan.payload.bytes()).unwrap_or(u32::MAX);
    let topology = match plan.stations {
        2 => Topology::PointToPoint,
        stations => Topology::Switched { stations, switch: Switch { credits, ..Switch::default() } },
    };
    let baud = Baud((plan.mbaud * 1e6).round() as u64);
    let parameters = Parameters {
        baud,
        payload_bytes: payload,
        encapsulation: Encapsulation::Ip,
        mtu_bytes: plan.mtu,
        delay: delay(plan.length_m, FIBRE_PS_PER_METRE)?,
        credits,
        processing: Span::ZERO,
        topology,
    };
    let medium = FibreChannel::new(parameters).map_err(|error| refused("network", error))?;
    let rate = Rate::from_bits_per_second(baud.pace().bits_per_second());
    Ok(built(Medium::FibreChannel(medium), rate, Framing::FibreChannel { payload_bytes: payload }))
}

pub(super) fn myrinet(plan: &MyrinetPlan) -> Result<Built, ModelError> {
    let ok = plan.mbps >= 1.0 && plan.mbps <= 1e6;
    require(ok, "network.mbps", plan.mbps, "it must be from 1 to 1000000")?;
    myrinet::parameters::check_packet(plan.mtu)
        .map_err(|error| ModelError::value("network.mtu", plan.mtu, error.to_string()))?;
    let cable = delay(plan.length_m, FIBRE_PS_PER_METRE)?;
    let (topology, hops) = match plan.stations_per_switch {
        None => (myrinet::parameters::Topology::Crossbar, 1),
        Some(stations_per_switch) => (myrinet::parameters::Topology::Tree { stations_per_switch }, 3),
    };
    let slack = plan.slack.bytes();
    let parameters = myrinet::parameters::Parameters {
        stations: plan.stations,
        topology,
        byte: Span::from_seconds(8e-6 / plan.mbps),
        latency: latency("network.hop-latency", plan.hop_latency)?,
        cable,
        trunk: cable,
        slack: myrinet::parameters::Slack { bytes: slack, stop: slack / 2, go: slack / 2 * 8 / 9 },
        arbitration: myrinet::parameters::Arbitration::RoundRobin,
    };
    let medium = Myrinet::new(&parameters).map_err(|error| refused("network", error))?;
    Ok(built(Medium::Myrinet(medium), Rate::from_mbps(plan.mbps), Framing::Myrinet { hops }))
}
