use std::net::{Ipv4Addr, TcpListener};
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::{Context, Result};

/// The first port to try: above the ports of services, and below the ports that Linux assigns.
const FIRST: u32 = 12_000;
const COUNT: u32 = 20_000;

/// Spreads the ports at which processes begin to search.
const STRIDE: u32 = 7_919;

/// Returns a loopback port without a listener. Neither the kernel nor a later call assigns it.
pub fn free_port() -> Result<u16> {
    static TAKEN: AtomicU32 = AtomicU32::new(0);
    let start = process::id().wrapping_mul(STRIDE);
    (0..COUNT)
        .map(|_| start.wrapping_add(TAKEN.fetch_add(1, Ordering::Relaxed)))
        .filter_map(|place| u16::try_from(FIRST + place % COUNT).ok())
        .find(|port| TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).is_ok())
        .context("every port is taken")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_is_given_out_once() {
        let mut ports = [(); 100].map(|()| free_port().unwrap());
        ports.sort_unstable();
        assert!(ports.windows(2).all(|pair| pair[0] < pair[1]), "{ports:?}");
        assert!(ports.iter().all(|port| (12_000..32_000).contains(port)));
    }
}
