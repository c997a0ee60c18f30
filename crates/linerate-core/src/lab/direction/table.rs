//! The fields of a direction, which a laboratory, a link and each direction of a link have.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::units::{Size, Span, SpanText, optional_span};

/// A table of a plan with fields of its own and those of a direction.
macro_rules! table_with_direction {
    ($(#[$about:meta])* pub struct $name:ident { $($own:tt)* }) => {
        $(#[$about])*
        pub struct $name {
            $($own)*
            /// What each end of a link sends at most, by a token bucket that counts IP packets and 14 bytes of
            /// Ethernet header each. If absent, what the host can do. Unit: Mb/s (10^6 bit/s).
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub rate_mbps: Option<f64>,
            /// What an idle end sends at once, above its rate. Zero makes a plain queue: every frame takes its time.
            /// If absent, what the rate gives in 4 ms, and at least four of the largest frames. Unit: bytes.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub burst: Option<Size>,
            /// Room for what waits for the rate, at each end; what does not fit is lost. If absent, 128 KiB. Unit:
            /// bytes.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub queue: Option<Size>,
            /// How much later every frame comes. If absent, at once.
            #[serde(default, with = "optional_span", skip_serializing_if = "Option::is_none")]
            #[schemars(with = "Option<SpanText>")]
            pub delay: Option<Span>,
            /// Additional delay, uniform from zero to this. Frames keep their order.
            #[serde(default, with = "optional_span", skip_serializing_if = "Option::is_none")]
            #[schemars(with = "Option<SpanText>")]
            pub jitter: Option<Span>,
            /// Share of frames that are lost, from 0 to 1.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub loss: Option<f64>,
            /// How many frames are lost in a row, on average. If absent, each frame is lost or not for itself.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub loss_burst: Option<f64>,
            /// Share of frames that come later than those behind them, from 0 to 1.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub reorder: Option<f64>,
            /// How much later. If absent, 1 ms.
            #[serde(default, with = "optional_span", skip_serializing_if = "Option::is_none")]
            #[schemars(with = "Option<SpanText>")]
            pub reorder_by: Option<Span>,
            /// Share of frames that come twice, from 0 to 1.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub duplicate: Option<f64>,
            /// Share of frames that come with a wrong bit behind the Ethernet header, from 0 to 1.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub corrupt: Option<f64>,
            /// Share of IP packets that allow it (ECT) which are marked as by a queue (CE), from 0 to 1.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub ecn_mark: Option<f64>,
            /// Share of IP packets whose ECN field is cleared, from 0 to 1.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub ecn_bleach: Option<f64>,
        }

        impl $name {
            /// Its fields of a direction, and for those that it has not, those of `other`.
            pub(in crate::lab) fn direction_or(&self, other: &$crate::lab::DirectionPlan) -> $crate::lab::DirectionPlan {
                $crate::lab::DirectionPlan {
                    rate_mbps: self.rate_mbps.or(other.rate_mbps),
                    burst: self.burst.or(other.burst),
                    queue: self.queue.or(other.queue),
                    delay: self.delay.or(other.delay),
                    jitter: self.jitter.or(other.jitter),
                    loss: self.loss.or(other.loss),
                    loss_burst: self.loss_burst.or(other.loss_burst),
                    reorder: self.reorder.or(other.reorder),
                    reorder_by: self.reorder_by.or(other.reorder_by),
                    duplicate: self.duplicate.or(other.duplicate),
                    corrupt: self.corrupt.or(other.corrupt),
                    ecn_mark: self.ecn_mark.or(other.ecn_mark),
                    ecn_bleach: self.ecn_bleach.or(other.ecn_bleach),
                }
            }
        }
    };
}
pub(in crate::lab) use table_with_direction;

table_with_direction! {
    /// One direction of a link. What it does not say, the link says for both.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields, rename_all = "kebab-case")]
    pub struct DirectionPlan {}
}
