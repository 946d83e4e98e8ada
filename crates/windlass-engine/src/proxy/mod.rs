//! Windlass's proxy: the one way out of a box whose network namespace is empty.
//!
//! An attempt with `network: provider` has loopback and nothing else. Its launcher makes a listener
//! inside that namespace and starts `windlass __proxy` outside of it, in the host's network. So
//! the proxy accepts connections from the box and makes connections from the host, for the hosts on
//! its list. It is a process of its own because the launcher has one thread and may not wait.
//!
//! In the order of a connection:
//!
//! - [`policy`]: what it is told: which hosts, which bounds, where to record.
//! - `child`: the launcher's side, [`spawn`]; `control`: what goes over the socket between both.
//! - `entry`: its `main`; `serve`: listeners, a thread for each connection.
//! - `head`: the first bytes, within a time; `request` (HTTP) and `socks`: what the box asks for;
//!   `target`: host and port of it; `body`: where the body of a request ends.
//! - `access`: whether it may have it; `address`: what kind of address a name led to.
//! - `connect`: the connection from the host; `upstream`: through the user's own proxy;
//!   `users_proxy`: which one that is.
//! - `relay`: bytes in both directions.
//! - [`record`]: which hosts were refused or could not be reached.
//! - `answer`: what a client is told that gets no connection.
//!
//! [`provider_hosts()`] says which hosts a backend needs, [`variables()`] how programs find the proxy.
//!
//! Invariants: no connection is made to a host that is not on the list, and no name that is not on
//! it is resolved (a lookup alone carries data out). A name is resolved once, and the connection
//! goes to the address that was checked. Neither bodies nor values of headers are kept anywhere.
//!
//! The bar against other ways out is the namespace. The proxy alone confines nobody.

mod access;
mod address;
mod answer;
mod body;
mod child;
mod connect;
mod control;
mod entry;
mod head;
pub mod policy;
pub mod provider_hosts;
pub mod record;
mod relay;
mod request;
mod serve;
mod socks;
mod target;
mod upstream;
mod users_proxy;
mod variables;

pub use access::{Access, access};
pub use child::{PROXY_ARGUMENT, ProxyChild, spawn, spawn_with_forwards};
pub(crate) use control::{receive_descriptors, send_descriptors};
pub use entry::main_proxy;
pub use policy::{Bounds, Forward, HostRule, ProxyPolicy, Upstream};
pub use provider_hosts::{ProviderHosts, provider_hosts};
pub use record::{Failure, FailureKind};
pub use request::{Request, RequestError, Want};
pub use target::{Host, Target, TargetError};
pub use users_proxy::{NoProxy, users_proxy};
pub use variables::variables;
