//! What an adaptor says of itself, elsewhere than on Linux: nothing is asked.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::io;

use super::absent;

/// An interface that can be asked, which never is one.
#[derive(Debug)]
pub(crate) struct Device(Infallible);

/// The software of an adaptor.
#[derive(Debug)]
pub(crate) struct Driver {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) firmware: String,
    pub(crate) bus: String,
}

/// What a link has agreed on.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) speed_mbps: Option<u64>,
    pub(crate) duplex: Option<Duplex>,
}

/// Whether both ends may send at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Duplex {
    #[expect(dead_code, reason = "as on Linux")]
    Half,
    #[expect(dead_code, reason = "as on Linux")]
    Full,
}

impl Device {
    pub(crate) fn open(_name: &str) -> io::Result<Self> {
        Err(absent())
    }

    pub(crate) fn mtu(&self) -> io::Result<u64> {
        match self.0 {}
    }

    pub(crate) fn driver(&self) -> io::Result<Driver> {
        match self.0 {}
    }

    pub(crate) fn link(&self) -> io::Result<Link> {
        match self.0 {}
    }

    pub(crate) fn features(&self) -> io::Result<BTreeMap<String, bool>> {
        match self.0 {}
    }

    pub(crate) fn coalescing(&self) -> io::Result<Vec<(&'static str, u32)>> {
        match self.0 {}
    }

    pub(crate) fn rings(&self) -> io::Result<Vec<(&'static str, u32)>> {
        match self.0 {}
    }

    pub(crate) fn stamps_in_hardware(&self) -> io::Result<bool> {
        match self.0 {}
    }
}
