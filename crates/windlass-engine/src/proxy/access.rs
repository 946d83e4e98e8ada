//! Whether a box may have a connection. Pure: no name is resolved here.

use super::address::{Reach, reach};
use super::policy::{Forward, HostRule, ProxyPolicy};
use super::target::{Host, Target};

/// What is to be done about a connection that a box asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access<'policy> {
    /// It goes to the host's loopback.
    Forward(&'policy Forward),
    /// It goes to a public address of the host.
    Public,
    /// It goes to an address of the host, which may be one of a private network.
    PrivateToo,
    /// The host is not on the list.
    Refused,
    /// The host is on the list, and is an address that nobody can open.
    Closed,
}

/// Says what is to be done about a connection.
pub fn access<'policy>(policy: &'policy ProxyPolicy, target: &Target) -> Access<'policy> {
    if let Some(forward) = policy.forward.iter().find(|forward| forward.is_for(target)) {
        return Access::Forward(forward);
    }
    if !is_for(&policy.allow, target) && !is_for(&policy.provider, target) {
        return Access::Refused;
    }
    match &target.host {
        Host::Name(_) if is_for(&policy.private, target) => Access::PrivateToo,
        Host::Name(_) => Access::Public,
        // The rule is this very address: a person named it, and no name can lead elsewhere.
        Host::Address(address) => match reach(*address) {
            Reach::Public | Reach::Private => Access::PrivateToo,
            Reach::Never => Access::Closed,
        },
    }
}

/// Says whether it is the backend's: a forward is there for nobody else.
pub(super) fn is_of_provider(policy: &ProxyPolicy, target: &Target) -> bool {
    is_for(&policy.provider, target) || policy.forward.iter().any(|to| to.is_for(target))
}

fn is_for(rules: &[HostRule], target: &Target) -> bool {
    rules.iter().any(|rule| rule.is_for(target))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn policy() -> ProxyPolicy {
        let rules = |rules: &[&str]| rules.iter().map(|rule| rule.parse().unwrap()).collect();
        ProxyPolicy {
            allow: rules(&["docs.example", "10.0.0.5:8080", "169.254.169.254", "0.0.0.0"]),
            provider: rules(&["model.example", "gpu.example:8000"]),
            private: rules(&["gpu.example:8000"]),
            forward: vec![Forward { host: Host::parse("127.0.0.1").unwrap(), port: 1, to: 2 }],
            ..ProxyPolicy::new(PathBuf::from("/record"))
        }
    }

    fn of(policy: &ProxyPolicy, target: &str) -> Access<'static> {
        match access(policy, &Target::parse(target, None).unwrap()) {
            Access::Forward(_) => panic!("{target} is forwarded"),
            Access::Public => Access::Public,
            Access::PrivateToo => Access::PrivateToo,
            Access::Refused => Access::Refused,
            Access::Closed => Access::Closed,
        }
    }

    #[test]
    fn hosts_on_a_list_may_be_reached_and_others_not() {
        let policy = policy();
        assert_eq!(of(&policy, "docs.example:443"), Access::Public);
        assert_eq!(of(&policy, "model.example:443"), Access::Public);
        assert_eq!(of(&policy, "gpu.example:8000"), Access::PrivateToo);
        assert_eq!(of(&policy, "gpu.example:443"), Access::Refused);
        assert_eq!(of(&policy, "other.example:443"), Access::Refused);
    }

    #[test]
    fn an_address_has_to_be_on_the_list_itself_and_some_never_are_reached() {
        let policy = policy();
        assert_eq!(of(&policy, "10.0.0.5:8080"), Access::PrivateToo);
        assert_eq!(of(&policy, "10.0.0.6:8080"), Access::Refused);
        assert_eq!(of(&policy, "1.1.1.1:443"), Access::Refused);
        assert_eq!(of(&policy, "169.254.169.254:80"), Access::Closed);
        assert_eq!(of(&policy, "0.0.0.0:80"), Access::Closed);
    }

    #[test]
    fn a_forward_is_for_its_address_to_the_letter() {
        let policy = policy();
        let exact = Target::parse("127.0.0.1:1", None).unwrap();
        assert_eq!(access(&policy, &exact), Access::Forward(&policy.forward[0]));
        for target in
            ["127.0.0.1:2", "127.0.0.2:1", "[::ffff:127.0.0.1]:1", "localhost:1", "127.1:1"]
        {
            assert_eq!(of(&policy, target), Access::Refused, "{target}");
        }
    }
}
