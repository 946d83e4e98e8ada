//! What kind of address a name led to.
//!
//! A name on the list says nothing about where it leads: whoever owns it can let it lead to the
//! user's own machine, to the printer beside it or to the service that hands out a cloud machine's
//! keys. So every address is looked at before it is connected to.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// How far away an address is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// Anywhere on the internet. The nets for documentation count as such.
    Public,
    /// A network that the user may have around: let through only where a person named it.
    Private,
    /// This machine, its neighbours on the link, the services of a cloud, many or nobody: never.
    Never,
}

/// Says what kind of address it is.
pub(super) fn reach(address: IpAddr) -> Reach {
    match address {
        IpAddr::V4(address) => reach_v4(address),
        IpAddr::V6(address) => reach_v6(address),
    }
}

fn reach_v4(address: Ipv4Addr) -> Reach {
    match address.octets() {
        [10, ..] | [172, 16..=31, ..] | [192, 168, ..] => Reach::Private,
        // "This network", loopback, the link (metadata of most clouds), multicast, reserved.
        [0 | 127, ..] | [169, 254, ..] | [224..=255, ..] => Reach::Never,
        // Shared by carriers; also the metadata of one cloud, and tunnels between machines.
        [100, 64..=127, ..] => Reach::Never,
        // Protocol assignments (metadata of another cloud is there), relays, benchmarks.
        [192, 0, 0, _] | [192, 88, 99, _] | [198, 18..=19, ..] => Reach::Never,
        // Looks public, and is Azure's service for the machine itself.
        [168, 63, 129, 16] => Reach::Never,
        _ => Reach::Public,
    }
}

fn reach_v6(address: Ipv6Addr) -> Reach {
    if let Some(mapped) = address.to_ipv4_mapped() {
        return reach_v4(mapped);
    }
    let octets = address.octets();
    let v4_at =
        |at: usize| Ipv4Addr::from([octets[at], octets[at + 1], octets[at + 2], octets[at + 3]]);
    match address.segments() {
        // Translated to IPv4 on the way.
        [0x0064, 0xff9b, 0, 0, 0, 0, _, _] => reach_v4(v4_at(12)),
        [0x2002, ..] => reach_v4(v4_at(2)),
        // A cloud's metadata within the private range.
        [0xfd00, 0x0ec2, ..] => Reach::Never,
        [0xfc00..=0xfdff, ..] => Reach::Private,
        // Protocol assignments, tunnels through IPv4 among them.
        [0x2001, 0x0000..=0x01ff, ..] => Reach::Never,
        // All of the internet's addresses so far begin so; what else there is, is special.
        [0x2000..=0x3fff, ..] => Reach::Public,
        _ => Reach::Never,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all_are(reach_expected: Reach, addresses: &[&str]) {
        for text in addresses {
            assert_eq!(reach(text.parse().unwrap()), reach_expected, "{text}");
        }
    }

    #[test]
    fn the_internet_and_documentation_are_public() {
        all_are(
            Reach::Public,
            &[
                "1.1.1.1",
                "172.15.0.1",
                "172.32.0.1",
                "100.63.0.1",
                "192.0.2.1",
                "198.51.100.1",
                "203.0.113.1",
                "2606:4700::1111",
                "2001:db8::1",
                "::ffff:1.1.1.1",
                "64:ff9b::1.1.1.1",
            ],
        );
    }

    #[test]
    fn networks_around_the_user_are_private() {
        let around = ["10.1.2.3", "172.16.0.1", "192.168.1.1", "fd12::1", "::ffff:10.0.0.1"];
        all_are(Reach::Private, &around);
    }

    #[test]
    fn this_machine_metadata_and_special_ranges_are_never_reached() {
        all_are(
            Reach::Never,
            &[
                "0.0.0.0",
                "0.1.2.3",
                "127.0.0.1",
                "127.255.0.9",
                "169.254.169.254",
                "100.100.100.200",
                "100.64.0.1",
                "192.0.0.192",
                "168.63.129.16",
                "198.18.0.1",
                "224.0.0.1",
                "255.255.255.255",
                "::",
                "::1",
                "::7f00:1",
                "::ffff:127.0.0.1",
                "::ffff:169.254.169.254",
                "64:ff9b::7f00:1",
                "64:ff9b:1::1",
                "2002:7f00:1::1",
                "2001::1",
                "fe80::1",
                "fec0::1",
                "ff02::1",
                "fd00:ec2::254",
            ],
        );
    }
}
