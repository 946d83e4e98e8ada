//! Ways out by the network. A way is asked for; nothing is sent beyond this machine.

use crate::probe::{Group, Probe, Seen};

/// Why `network: on` leaves them open.
const ON: &str = "`network: on` is the machine's network, as `docs/network.md` says; `provider` and `off` close it";

/// One way, with the network that the step has and with `network: off`.
macro_rules! ways {
    ($(($name:literal, $tries:literal, $seen:expr, $code:literal)),* $(,)?) => {
        pub(crate) const PROBES: &[Probe] = &[
            $(Probe::new(Group::Network, $name, $tries, $seen, $code).open(ON)),*
        ];
        pub(crate) const OFF: &[Probe] = &[
            $(Probe::new(Group::NetworkOff, concat!("off_", $name), $tries, $seen, $code)),*
        ];
    };
}

ways![
    (
        "loopback_service",
        "speak to a service of the user's on loopback",
        Seen::Heard,
        "return say_to(socket.AF_INET, ('127.0.0.1', FACTS['port']))"
    ),
    (
        "loopback_by_proxy",
        "ask for that service by the proxy that its variables name",
        Seen::Heard,
        "from urllib.parse import urlparse\nproxy = urlparse(os.environ.get('HTTPS_PROXY') or f'http://127.0.0.1:{FACTS[\"port\"]}')\nconn = socket.create_connection((proxy.hostname, proxy.port), 3)\nif 'HTTPS_PROXY' in os.environ:\n    conn.sendall(f'CONNECT 127.0.0.1:{FACTS[\"port\"]} HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\n\\r\\n'.encode())\n    if b' 200 ' not in conn.recv(1000):\n        return ''\nconn.sendall(f'{NAME}-{WHO}\\n'.encode())\nreturn conn.recv(10).decode()"
    ),
    (
        "public_address",
        "find a way to an address of the internet",
        Seen::Told,
        "return route_to('192.0.2.1')"
    ),
    (
        "metadata_address",
        "find a way to the metadata service of a cloud",
        Seen::Told,
        "return route_to('169.254.169.254')"
    ),
    (
        "local_network",
        "find a way into the local network",
        Seen::Told,
        "return route_to('10.0.0.1')"
    ),
    (
        "name_server",
        "find a way to the machine's name server, by which data could leave",
        Seen::Told,
        "server = [line.split()[1] for line in read('/etc/resolv.conf').splitlines() if line.startswith('nameserver')]\naddress = (server or ['192.0.2.1'])[0]\nif address.startswith('127.'):\n    return ''\nreturn route_to(address)"
    ),
];
