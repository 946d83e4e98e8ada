//! The variables by which programs in a box find the proxy.

use std::net::SocketAddr;

/// Names of the proxy's address. Programs look for either case, curl for one of them.
const PROXIES: [&str; 6] =
    ["ALL_PROXY", "HTTPS_PROXY", "HTTP_PROXY", "all_proxy", "http_proxy", "https_proxy"];

/// Names of what is not asked of a proxy.
const DIRECT: [&str; 2] = ["NO_PROXY", "no_proxy"];

/// Servers that an agent starts for its tests are in the box, and a forward's listener is too.
const LOOPBACK: &str = "localhost,127.0.0.1,::1";

/// Returns the variables for a proxy whose listener has this address.
///
/// `ALL_PROXY` is an `http://` address although the proxy speaks SOCKS as well: some clients fail
/// at once on a `socks5://` one, because their support for it is a package of its own.
pub fn variables(listener: SocketAddr) -> Vec<(String, String)> {
    let address = format!("http://{listener}");
    let named = |names: &[&str], value: &str| -> Vec<(String, String)> {
        names.iter().map(|name| ((*name).to_owned(), value.to_owned())).collect()
    };
    let mut variables = named(&PROXIES, &address);
    variables.extend(named(&DIRECT, LOOPBACK));
    // Node's own client reads the others only with this.
    variables.extend(named(&["NODE_USE_ENV_PROXY"], "1"));
    variables
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_cases_name_the_proxy_and_loopback_stays_direct() {
        let variables = variables("127.0.0.1:4711".parse().unwrap());
        let value = |name: &str| {
            variables.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
        };
        for name in PROXIES {
            assert_eq!(value(name), Some("http://127.0.0.1:4711"), "{name}");
        }
        for name in DIRECT {
            assert_eq!(value(name), Some("localhost,127.0.0.1,::1"), "{name}");
        }
    }
}
