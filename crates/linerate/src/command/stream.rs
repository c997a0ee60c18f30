//! `linerate stream`.

use std::process::ExitCode;

use linerate_core::plan::Plan;
use linerate_core::traffic::{Load, StreamPlan};
use linerate_core::units::Size;
use linerate_net::observe::HostClock;

use super::planned;
use super::traffic::{self, Asked};
use crate::cli::{Axis, StreamArgs};
use crate::trouble::Trouble;

pub(super) fn run(args: &StreamArgs, clock: HostClock) -> Result<ExitCode, Trouble> {
    let plan = args.over(planned::given(&args.plan)?);
    traffic::check(&plan)?;
    if planned::printed(&args.plan, &plan)? {
        return Ok(ExitCode::SUCCESS);
    }
    let loads = loads(&plan, &args.table);
    check(&plan, &args.table, &loads)?;
    // The server reserves for the largest message of all loads.
    let largest = loads.iter().filter_map(|asked| asked.load.stream.as_ref()?.message).max();
    let mut plan = plan;
    if let Some(stream) = &mut plan.stream {
        stream.message = stream.message.max(largest);
    }
    let report = traffic::conduct(plan, &loads, &args.key, clock)?;
    traffic::conclude(&report)
}

/// Refuses a table of which a row cannot be carried out.
fn check(plan: &Plan, table: &[Axis], loads: &[Asked]) -> Result<(), Trouble> {
    if let [one, other] = table
        && std::mem::discriminant(one) == std::mem::discriminant(other)
    {
        return Err(Trouble::new(
            "failed to make the table: both its axes are of one kind",
            "give all values in one, such as buffers=8KiB,64KiB; the other axis is messages=1KiB,64KiB",
        ));
    }
    loads.iter().try_for_each(|Asked { load, .. }| {
        traffic::check(&Plan { stream: load.stream.clone(), socket: load.socket.clone(), ..plan.clone() })
    })
}

/// Every load of the table, or the one of the plan.
fn loads(plan: &Plan, table: &[Axis]) -> Vec<Asked> {
    let stream = plan.stream.clone().unwrap_or_default();
    let load = Load { stream: Some(stream), socket: plan.socket.clone(), time: plan.time, ..Load::default() };
    let mut loads = vec![Asked { label: String::new(), load }];
    for axis in table {
        loads = loads.into_iter().flat_map(|asked| spread(&asked, axis)).collect();
    }
    loads
}

/// One load for each value of an axis.
fn spread(asked: &Asked, axis: &Axis) -> Vec<Asked> {
    let with = |value: String, load: Load| {
        let label = if asked.label.is_empty() { value } else { format!("{} {value}", asked.label) };
        Asked { label, load }
    };
    match axis {
        Axis::Buffers(sizes) => {
            let buffers = |size: &Option<Size>| {
                let mut load = asked.load.clone();
                (load.socket.sndbuf, load.socket.rcvbuf) = (*size, *size);
                with(size.map_or_else(|| "buffers=auto".to_owned(), |size| format!("buffers={size}")), load)
            };
            sizes.iter().map(buffers).collect()
        }
        Axis::Messages(sizes) => {
            let message = |size: &Size| {
                let stream = asked.load.stream.clone().unwrap_or_default();
                let stream = StreamPlan { message: Some(*size), ..stream };
                with(format!("messages={size}"), Load { stream: Some(stream), ..asked.load.clone() })
            };
            sizes.iter().map(message).collect()
        }
    }
}
