//! The interface over which a client reaches this host.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream};

use nix::net::if_::if_indextoname;

use crate::observe::interface_name;

/// The interface of a connection: the one that owns its address here, and the loopback where the client is on this
/// host. `None` if no interface has the address any more.
pub(in crate::serve) fn interface_of(control: &TcpStream) -> Option<String> {
    let peer = control.peer_addr().ok()?.ip();
    // Bytes between two addresses of one host cross the loopback, whose addresses they may not be.
    if interface_name(peer).is_ok() {
        return interface_name(IpAddr::from(Ipv4Addr::LOCALHOST)).ok();
    }
    let local = control.local_addr().ok()?;
    scoped(local).or_else(|| interface_name(local.ip()).ok())
}

/// A link-local address says on which interface it is: several may have the same one (RFC 4007).
fn scoped(local: SocketAddr) -> Option<String> {
    let SocketAddr::V6(local) = local else { return None };
    let name = (local.scope_id() != 0).then(|| if_indextoname(local.scope_id()).ok())??;
    // Of an interface that has gone the name is empty.
    name.into_string().ok().filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv6Addr, SocketAddrV6, TcpListener};

    use super::*;
    use crate::lab::{HERE, LabError, THERE, TwoHosts, WIRE};

    fn of_a_connection(listener: &TcpListener) -> Option<String> {
        interface_of(&listener.accept().expect("a client").0)
    }

    #[test]
    fn a_client_on_this_host_comes_over_the_loopback_whatever_its_address() {
        let lab = match TwoHosts::new(1500) {
            Ok(lab) => lab,
            Err(LabError::Privilege) => return,
            Err(error) => panic!("failed to {error}"),
        };
        let listener = lab.there(|| TcpListener::bind((THERE, 0))).expect("entered").expect("it listens");
        let address = listener.local_addr().expect("an address");
        let connect = || TcpStream::connect(address).expect("there is a way");
        let other = lab.here(connect).expect("entered");
        let from_here = lab.there(|| of_a_connection(&listener)).expect("entered");
        assert_eq!(
            (from_here.as_deref(), other.local_addr().expect("it has one").ip()),
            (Some(WIRE), HERE.into())
        );
        let own = lab.there(|| (connect(), of_a_connection(&listener))).expect("entered");
        assert_eq!(own.1.as_deref(), Some("lo"), "from {THERE} to {THERE}");
    }

    #[test]
    fn a_link_local_address_names_its_interface() {
        let local = |scope| {
            SocketAddr::V6(SocketAddrV6::new(Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0, 1), 1, 0, scope))
        };
        let lo = nix::net::if_::if_nametoindex("lo").expect("every host has it");
        assert_eq!(scoped(local(lo)).as_deref(), Some("lo"));
        assert_eq!([scoped(local(0)), scoped(local(u32::MAX))], [None, None]);
    }
}
