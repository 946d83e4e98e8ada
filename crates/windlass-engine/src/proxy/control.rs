//! What goes over the socket between a launcher and its proxy.
//!
//! The socket is the proxy's standard input. Down go, in one message, the listeners (as descriptors
//! that travel with the first bytes) and the policy. Up come lines of JSON: that the proxy is ready,
//! and each host of the provider that could not be reached. When the launcher ends in whatever way,
//! the kernel closes its end, and the proxy ends too.
//!
//! Descriptors travel this way, and not by their numbers, because giving a child a descriptor 3 takes
//! code between fork and exec.

use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, send, sendmsg,
};
use serde::{Deserialize, Serialize};

use super::policy::{MAX_POLICY_BYTES, ProxyPolicy};

/// The most listeners of a proxy.
pub(super) const MOST_LISTENERS: usize = 16;

/// What a proxy says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Word {
    /// It has its policy and its listeners.
    Ready,
    /// A host of the provider could not be reached.
    ProviderFailed(super::record::Failure),
    /// The backend has tried long enough, and not one connection was made; this one was the last.
    Hopeless(super::record::Failure),
}

/// Sends the listeners and the policy.
pub(super) fn hand_over(
    socket: &UnixStream,
    listeners: &[OwnedFd],
    policy: &ProxyPolicy,
) -> io::Result<()> {
    if listeners.len() > MOST_LISTENERS {
        return Err(io::Error::other("too many listeners for one proxy"));
    }
    let body = serde_json::to_vec(policy)?;
    let length = u32::try_from(body.len()).map_err(io::Error::other)?.to_be_bytes();
    send_descriptors(socket, length, listeners)?;
    let mut socket = socket;
    socket.write_all(&body)
}

/// Sends descriptors, with four bytes that say what they are.
pub(crate) fn send_descriptors(
    socket: &UnixStream,
    word: [u8; 4],
    descriptors: &[OwnedFd],
) -> io::Result<()> {
    let descriptors: Vec<_> = descriptors.iter().map(AsFd::as_fd).collect();
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_LISTENERS))];
    let mut rights = SendAncillaryBuffer::new(&mut space);
    if !rights.push(SendAncillaryMessage::ScmRights(&descriptors)) {
        return Err(io::Error::other("too many listeners for one proxy"));
    }
    // Four bytes go whole or not at all: the socket is empty.
    sendmsg(socket, &[IoSlice::new(&word)], &mut rights, SendFlags::NOSIGNAL)?;
    Ok(())
}

/// Receives the listeners and the policy.
pub(super) fn take_over(mut socket: &UnixStream) -> io::Result<(Vec<OwnedFd>, ProxyPolicy)> {
    let (length, listeners) = receive_descriptors(socket)?;
    let length = usize::try_from(u32::from_be_bytes(length)).map_err(io::Error::other)?;
    if length > MAX_POLICY_BYTES {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut body = vec![0; length];
    socket.read_exact(&mut body)?;
    Ok((listeners, serde_json::from_slice(&body)?))
}

/// Receives four bytes and the descriptors that come with them.
pub(crate) fn receive_descriptors(socket: &UnixStream) -> io::Result<([u8; 4], Vec<OwnedFd>)> {
    let mut length = [0; 4];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_LISTENERS))];
    let mut rights = RecvAncillaryBuffer::new(&mut space);
    let mut slices = [IoSliceMut::new(&mut length)];
    let received = recvmsg(socket, &mut slices, &mut rights, RecvFlags::CMSG_CLOEXEC)?;
    if received.bytes != length.len() || received.flags.contains(ReturnFlags::CTRUNC) {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let mut listeners = Vec::new();
    for message in rights.drain() {
        if let RecvAncillaryMessage::ScmRights(descriptors) = message {
            listeners.extend(descriptors);
        }
    }
    Ok((length, listeners))
}

/// Says something to the launcher, without ever waiting for it.
///
/// A launcher that does not listen for so long that the socket is full misses words; the record has
/// them all.
pub(super) fn tell(socket: &UnixStream, word: &Word) -> io::Result<()> {
    let mut line = serde_json::to_vec(word)?;
    line.push(b'\n');
    match send(socket, &line, SendFlags::DONTWAIT | SendFlags::NOSIGNAL) {
        Ok(_) | Err(rustix::io::Errno::AGAIN) => Ok(()),
        Err(error) => Err(error.into()),
    }
}
