//! A laboratory made for one run, elsewhere than on Linux: there is none.

use std::convert::Infallible;
use std::net::IpAddr;

use linerate_core::plan::Plan;
use linerate_core::run::Laboratory;
use linerate_net::control::Key;

use super::only_linux;
use crate::cli::InLabArgs;
use crate::context::Context;
use crate::peer::LoopbackPeer;
use crate::trouble::Trouble;

/// A laboratory, which never is one.
pub(super) struct Entered(Infallible);

/// What a run records of it.
pub(super) struct Noted(Infallible);

impl Noted {
    pub(super) fn now(&self) -> Laboratory {
        match self.0 {}
    }

    pub(super) fn between(self, _hosts: Vec<String>) -> Self {
        match self.0 {}
    }
}

impl Entered {
    /// None, unless the flags ask for one.
    pub(super) fn into(
        args: &InLabArgs,
        _plan: &mut Plan,
        _context: &Context,
    ) -> Result<Option<Self>, Trouble> {
        if args.lab.is_some() { Err(only_linux("make a laboratory")) } else { Ok(None) }
    }

    pub(super) fn noted(&self, _plan: &Plan) -> Noted {
        match self.0 {}
    }

    pub(super) fn hosts(&self) -> Vec<String> {
        match self.0 {}
    }

    pub(super) fn address(&self) -> IpAddr {
        match self.0 {}
    }

    pub(super) fn on<T: Send>(&self, _name: &str, _work: impl FnOnce() -> T + Send) -> Result<T, Trouble> {
        match self.0 {}
    }

    pub(super) fn servers(&self, _plan: &Plan, _key: &Key) -> Result<Vec<LoopbackPeer>, Trouble> {
        match self.0 {}
    }
}
