//! What every command is given beside its own flags.

use linerate_net::observe::HostClock;

use crate::history::History;
use crate::store::Writer;

/// The clock of this process, who writes its files, and the history that it uses.
#[derive(Debug)]
pub(crate) struct Context {
    pub(crate) clock: HostClock,
    pub(crate) files: Writer,
    pub(crate) history: History,
}
