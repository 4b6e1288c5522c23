//! Brings up the loopback device of a new network namespace.

use std::io;

use rustix::net::netlink::SocketAddrNetlink;
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType};

/// `RTM_NEWLINK` of rtnetlink(7).
const CHANGE_LINK: u16 = 16;
/// `NLM_F_REQUEST | NLM_F_ACK`.
const REQUEST_AND_ACKNOWLEDGE: u16 = 0x5;
/// A new namespace has this one device.
const LOOPBACK: i32 = 1;
/// `IFF_UP`.
const UP: u32 = 1;
/// A header of 16 bytes and `struct ifinfomsg` of 16.
const LEN: u32 = 32;

pub(super) fn bring_up() -> io::Result<()> {
    let socket = rustix::net::socket_with(
        AddressFamily::NETLINK,
        SocketType::RAW,
        SocketFlags::CLOEXEC,
        // Number 0 of the netlink family: routes and devices.
        None,
    )?;
    let kernel = SocketAddrNetlink::new(0, 0);
    rustix::net::sendto(&socket, &message(), SendFlags::empty(), &kernel)?;
    let mut answer = [0; 64];
    let (len, _) = rustix::net::recv(&socket, &mut answer, RecvFlags::empty())?;
    error_in(&answer[..len])
}

fn message() -> [u8; LEN as usize] {
    let mut message = [0; LEN as usize];
    message[0..4].copy_from_slice(&LEN.to_ne_bytes());
    message[4..6].copy_from_slice(&CHANGE_LINK.to_ne_bytes());
    message[6..8].copy_from_slice(&REQUEST_AND_ACKNOWLEDGE.to_ne_bytes());
    message[20..24].copy_from_slice(&LOOPBACK.to_ne_bytes());
    message[24..28].copy_from_slice(&UP.to_ne_bytes());
    message[28..32].copy_from_slice(&UP.to_ne_bytes());
    message
}

/// An acknowledgement is an error message with the number zero.
fn error_in(answer: &[u8]) -> io::Result<()> {
    let number = answer.get(16..20).and_then(|bytes| bytes.try_into().ok());
    match number.map(i32::from_ne_bytes) {
        Some(0) => Ok(()),
        Some(negative) => Err(io::Error::from_raw_os_error(negative.saturating_neg())),
        None => Err(io::ErrorKind::InvalidData.into()),
    }
}
