//! A time limit for measurements that would otherwise never end.

use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::channel::ChannelHandle;
use crate::watchdog::Watchdog;

/// Cancels a conversation and its channels at a time limit, unless it is dropped before.
///
/// A thread that blocks in a transfer wakes when its channel is cancelled, so the transfer itself
/// needs no time limit, which would cost time.
pub(super) struct Guard {
    guarded: Arc<Mutex<Vec<Box<dyn ChannelHandle>>>>,
    _watchdog: Watchdog,
}

impl Guard {
    /// Cancels `control` after `span`, and all channels that it guards by then.
    pub(super) fn set(span: Duration, control: TcpStream) -> std::io::Result<Self> {
        let guarded: Arc<Mutex<Vec<Box<dyn ChannelHandle>>>> = Arc::default();
        let channels = Arc::clone(&guarded);
        let watchdog = Watchdog::set(span, move || {
            control.shutdown(Shutdown::Both).unwrap_or(());
            for channel in channels.lock().unwrap_or_else(PoisonError::into_inner).iter() {
                channel.cut();
            }
        })?;
        Ok(Self { guarded, _watchdog: watchdog })
    }

    /// Guards this channel too.
    pub(super) fn add(&self, channel: Box<dyn ChannelHandle>) {
        self.guarded.lock().unwrap_or_else(PoisonError::into_inner).push(channel);
    }
}
