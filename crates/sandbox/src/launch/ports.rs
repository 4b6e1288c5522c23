//! Ports on which processes listen.

use std::collections::BTreeSet;
use std::fs;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// The state of a socket that listens, in the kernel's tables.
const LISTENING: &str = "0A";

/// The addresses on which any of these processes listens.
pub(super) fn held_by(processes: impl Iterator<Item = i32>) -> BTreeSet<SocketAddr> {
    let sockets: BTreeSet<String> = processes.flat_map(sockets_of).collect();
    if sockets.is_empty() {
        return BTreeSet::new();
    }
    ["/proc/net/tcp", "/proc/net/tcp6"]
        .iter()
        .flat_map(|table| listeners(&fs::read_to_string(table).unwrap_or_default()))
        .filter(|(_, number)| sockets.contains(number))
        .map(|(address, _)| address)
        .collect()
}

/// The numbers of a process's sockets.
fn sockets_of(process: i32) -> Vec<String> {
    let files = fs::read_dir(format!("/proc/{process}/fd"));
    let files = files.into_iter().flatten().flatten();
    files
        .filter_map(|file| {
            let target = fs::read_link(file.path()).ok()?;
            let number = target.to_str()?.strip_prefix("socket:[")?;
            Some(number.strip_suffix(']')?.to_owned())
        })
        .collect()
}

/// What listens according to a table, with the number of its socket.
fn listeners(table: &str) -> Vec<(SocketAddr, String)> {
    let lines = table.lines().skip(1);
    lines
        .filter_map(|line| {
            let fields: Vec<&str> = line.split_ascii_whitespace().collect();
            let (local, state, number) = (fields.get(1)?, fields.get(3)?, fields.get(9)?);
            let (address, port) = local.split_once(':')?;
            let port = u16::from_str_radix(port, 16).ok()?;
            let address = SocketAddr::new(address_of(address)?, port);
            (*state == LISTENING).then(|| (address, (*number).to_owned()))
        })
        .collect()
}

/// Groups of eight digits, each a number in this machine's order of bytes.
fn address_of(digits: &str) -> Option<IpAddr> {
    let mut bytes = Vec::new();
    for start in (0..digits.len()).step_by(8) {
        let group = u32::from_str_radix(digits.get(start..start + 8)?, 16).ok()?;
        bytes.extend(group.to_ne_bytes());
    }
    if let Ok(four) = <[u8; 4]>::try_from(bytes.as_slice()) {
        return Some(Ipv4Addr::from(four).into());
    }
    let sixteen = <[u8; 16]>::try_from(bytes).ok()?;
    Some(Ipv6Addr::from(sixteen).into())
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn what_this_process_listens_on_is_found() {
        let own = i32::try_from(std::process::id()).unwrap();
        let four = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut expected = vec![four.local_addr().unwrap()];
        let six = TcpListener::bind("[::1]:0").ok();
        expected.extend(six.as_ref().map(|six| six.local_addr().unwrap()));
        let found = held_by([own].into_iter());
        assert!(expected.iter().all(|one| found.contains(one)), "{found:?}");
    }

    #[test]
    fn other_states_and_half_lines_are_no_listeners() {
        let table = "  sl  local_address rem_address   st tx_queue\n\
            0: 00000000:1F90 00000000:0000 01 00000000:00000000 00:00000000 00000000 0 0 77 1\n\
            1: 00000000:1F90 00000000:0000\n\
            2: x:y 00000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 78 1\n";
        assert_eq!(listeners(table), []);
    }
}
