//! The connection from the host, to an address that was checked.

use std::io::Write;
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::time::Instant;

use super::access::{Access, access};
use super::address::{Reach, reach};
use super::head::HeadReader;
use super::policy::{Bounds, ProxyPolicy};
use super::record::FailureKind;
use super::target::{Host, Target};
use super::upstream::{self, Upstream};

/// The most addresses of one name that are tried.
const MOST_ADDRESSES: usize = 8;

/// A connection to where the box wanted to go.
pub(super) struct Connected {
    pub(super) stream: TcpStream,
    /// What the other side has said already.
    pub(super) said: Vec<u8>,
}

impl From<TcpStream> for Connected {
    fn from(stream: TcpStream) -> Self {
        Self { stream, said: Vec::new() }
    }
}

/// Connects to a target if the policy lets it.
pub(super) fn connect(policy: &ProxyPolicy, target: &Target) -> Result<Connected, FailureKind> {
    let bounds = &policy.bounds;
    match access(policy, target) {
        Access::Refused => Err(FailureKind::Refused),
        Access::Closed => Err(FailureKind::Private),
        Access::Forward(forward) => connect_any(&forward.addresses(), bounds).map(Connected::from),
        kind @ (Access::Public | Access::PrivateToo) => match &policy.upstream {
            // Names are the upstream's to resolve: often nobody else on such a network can.
            Some(upstream) if !policy.no_proxy.is_for(target) => {
                connect_through(upstream, target, bounds)
            }
            Some(_) | None => {
                let resolved = resolve(target)?;
                connect_any(&permitted(&resolved, kind)?, bounds).map(Connected::from)
            }
        },
    }
}

/// Resolves a name, once. The resolver has time limits of its own.
fn resolve(target: &Target) -> Result<Vec<SocketAddr>, FailureKind> {
    let addresses: Vec<SocketAddr> = match &target.host {
        Host::Address(address) => vec![(*address, target.port).into()],
        Host::Name(name) => match (name.as_str(), target.port).to_socket_addrs() {
            Ok(addresses) => addresses.collect(),
            Err(_) => return Err(FailureKind::Unresolvable),
        },
    };
    if addresses.is_empty() { Err(FailureKind::Unresolvable) } else { Ok(addresses) }
}

/// Keeps the addresses that may be connected to.
fn permitted(resolved: &[SocketAddr], kind: Access<'_>) -> Result<Vec<SocketAddr>, FailureKind> {
    let private_too = kind == Access::PrivateToo;
    let may_be_reached = |address: &&SocketAddr| match reach(address.ip()) {
        Reach::Public => true,
        Reach::Private => private_too,
        Reach::Never => false,
    };
    let kept: Vec<SocketAddr> = resolved.iter().filter(may_be_reached).copied().collect();
    if kept.is_empty() { Err(FailureKind::Private) } else { Ok(kept) }
}

/// Connects to the first address that answers. None of them may use up the others' time.
fn connect_any(addresses: &[SocketAddr], bounds: &Bounds) -> Result<TcpStream, FailureKind> {
    let deadline = Instant::now() + bounds.connect();
    let tried = addresses.len().min(MOST_ADDRESSES);
    for (at, address) in addresses[..tried].iter().enumerate() {
        let left = deadline.saturating_duration_since(Instant::now());
        let others = u32::try_from(tried - at).unwrap_or(1);
        let share = left / others.max(1);
        if share.is_zero() {
            break;
        }
        // Why one address did not answer is of no interest as long as another one may.
        if let Ok(stream) = TcpStream::connect_timeout(address, share) {
            return Ok(stream);
        }
    }
    Err(FailureKind::Failed)
}

/// Connects through the user's own proxy, which may be anywhere: it is the user who named it.
fn connect_through(
    upstream: &Upstream,
    target: &Target,
    bounds: &Bounds,
) -> Result<Connected, FailureKind> {
    let addresses = resolve(upstream.target()).map_err(|_| FailureKind::Failed)?;
    let mut stream = connect_any(&addresses, bounds)?;
    let request = upstream.connect_request(target);
    let asked = stream
        .set_write_timeout(Some(bounds.connect()))
        .and_then(|()| stream.write_all(request.as_bytes()));
    asked.map_err(|_| FailureKind::Failed)?;
    let mut reader = HeadReader::new(&stream, bounds.connect(), bounds.header_bytes);
    let open = reader.take_head().is_ok_and(upstream::is_open);
    let said = reader.into_rest();
    if open { Ok(Connected { stream, said }) } else { Err(FailureKind::Failed) }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    fn addresses(texts: &[&str]) -> Vec<SocketAddr> {
        texts.iter().map(|text| text.parse().unwrap()).collect()
    }

    #[test]
    fn of_several_addresses_the_harmless_ones_are_kept() {
        let mixed = addresses(&["127.0.0.1:80", "192.0.2.1:80", "10.0.0.1:80", "[::1]:80"]);
        assert_eq!(permitted(&mixed, Access::Public), Ok(addresses(&["192.0.2.1:80"])));
        let both = addresses(&["192.0.2.1:80", "10.0.0.1:80"]);
        assert_eq!(permitted(&mixed, Access::PrivateToo), Ok(both));
        let around = addresses(&["10.0.0.1:80", "[fd00::1]:80"]);
        assert_eq!(permitted(&around, Access::Public), Err(FailureKind::Private));
        let here = addresses(&["127.0.0.1:80", "169.254.169.254:80"]);
        assert_eq!(permitted(&here, Access::PrivateToo), Err(FailureKind::Private));
    }

    #[test]
    fn an_address_that_refuses_does_not_keep_from_the_next_one() {
        let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let open = TcpListener::bind("127.0.0.1:0").unwrap();
        let both = [closed, open.local_addr().unwrap()];
        let stream = connect_any(&both, &Bounds::default()).unwrap();
        assert_eq!(stream.peer_addr().unwrap(), both[1]);
        let refused = connect_any(&both[..1], &Bounds::default());
        assert_eq!(refused.err(), Some(FailureKind::Failed));
    }
}
