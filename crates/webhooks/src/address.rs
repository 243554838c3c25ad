//! Public and private IP addresses.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Whether webhooks may use plain HTTP and non-public addresses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PrivateAddresses {
    /// Receivers must use HTTPS and have public addresses.
    #[default]
    Refuse,
    /// Plain HTTP and any address are allowed. For boards whose clients the operator trusts.
    Allow,
}

/// Whether an address is a public internet host.
///
/// Uses the IANA special-purpose address registries and IANA's list of IPv6 address space. No
/// address of a listed block is public, even if parts of the block are globally reachable: anycast
/// and protocol blocks contain no receivers. An IPv6 address with an embedded IPv4 address is
/// refused, except with the well-known NAT64 prefix, which networks without IPv4 use. Such an
/// address is public if its IPv4 address is.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

/// Excludes the IANA IPv4 special-purpose addresses (RFC 6890), multicast, and cloud services.
fn is_public_v4(address: Ipv4Addr) -> bool {
    !matches!(
        address.octets(),
        // "This network", the unspecified address; private; loopback; multicast, reserved,
        // broadcast.
        [0 | 10 | 127 | 224..=255, ..] | [172, 16..=31, ..] | [192, 168, ..]
        | [100, 64..=127, ..]
        | [169, 254, ..]
        | [192, 0, 0 | 2, _] | [198, 51, 100, _] | [203, 0, 113, _]
        // Azure's metadata service: the block is public, but the host is no receiver.
        | [168, 63, 129, 16]
        // AS112 (two blocks), AMT, and 6to4 relays.
        | [192, 31, 196, _] | [192, 175, 48, _] | [192, 52, 193, _] | [192, 88, 99, _]
        | [198, 18 | 19, ..]
    )
}

/// Allows IANA's only block for global unicast, without its special-purpose blocks. All other
/// blocks are refused: loopback, unspecified, mapped, compatible and translated IPv4, local NAT64,
/// discard-only, segment routing, unique local, link-local, site-local, multicast, and reserved.
fn is_public_v6(address: Ipv6Addr) -> bool {
    match address.segments() {
        // The well-known NAT64 prefix, followed by an IPv4 address.
        [0x64, 0xff9b, 0, 0, 0, 0, ..] => {
            let [.., a, b, c, d] = address.octets();
            is_public_v4(Ipv4Addr::new(a, b, c, d))
        }
        // Protocol assignments (Teredo, benchmarking, ORCHID), and documentation.
        [0x2001, ..=0x1ff | 0xdb8, ..] | [0x3fff, ..=0xfff, ..]
        // 6to4 and AS112.
        | [0x2002, ..] | [0x2620, 0x4f, 0x8000, ..] => false,
        [first, ..] => (0x2000..0x4000).contains(&first),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(addresses: &str, expect: bool) {
        for text in addresses.split_whitespace() {
            assert_eq!(is_public(text.parse().unwrap()), expect, "{text}");
        }
    }

    /// Mainly addresses next to refused blocks.
    #[test]
    fn hosts_of_the_internet_are_public() {
        check(
            "1.1.1.1
             9.255.255.255 11.0.0.0
             100.63.255.255 100.128.0.0
             126.255.255.255 128.0.0.0
             168.63.129.15 168.63.129.17
             169.253.255.255 169.255.0.0
             172.15.255.255 172.32.0.0
             192.0.1.0 192.0.3.0
             192.167.255.255 192.169.0.0
             198.17.255.255 198.20.0.0
             203.0.112.255 203.0.114.0
             223.255.255.255
             64:ff9b::1.1.1.1
             2000:: 2001:200::1
             2001:db7:ffff::1 2001:db9::1
             2003::1 2606:4700:4700::1111
             3ffe:ffff::1 3fff:1000::1",
            true,
        );
    }

    #[test]
    fn special_blocks_are_not_public_from_their_first_address_to_their_last() {
        check(
            "0.0.0.0 0.255.255.255
             10.0.0.0 10.255.255.255
             100.64.0.0 100.100.100.200 100.127.255.255
             127.0.0.1 127.255.255.255
             168.63.129.16
             169.254.0.0 169.254.169.254 169.254.255.255
             172.16.0.0 172.31.255.255
             192.0.0.0 192.0.0.192 192.0.0.255
             192.0.2.0 192.0.2.255
             192.31.196.1 192.52.193.1 192.88.99.1 192.175.48.1
             192.168.0.0 192.168.255.255
             198.18.0.0 198.19.255.255
             198.51.100.7 203.0.113.7
             224.0.0.0 239.255.255.255
             240.0.0.0 255.255.255.255

             :: ::1
             ::ffff:127.0.0.1 ::ffff:1.1.1.1
             ::127.0.0.1 ::1.1.1.1 ::ffff:0:1.1.1.1
             64:ff9b:: 64:ff9b::127.0.0.1 64:ff9b::169.254.169.254 64:ff9b::168.63.129.16
             64:ff9b::1:1.1.1.1
             64:ff9b:1:: 64:ff9b:1::1.1.1.1 64:ff9b:1:ffff:ffff:ffff:ffff:ffff
             100::1 100:0:0:1::1
             1fff:ffff::1
             2001:: 2001:0:7f00:1:: 2001:2::1 2001:10::1 2001:20::1 2001:1ff:ffff::1
             2001:db8:: 2001:db8:ffff:ffff:ffff:ffff:ffff:ffff
             2002:: 2002:7f00:1:: 2002:101:101::
             2620:4f:8000::1
             3fff:: 3fff:fff:ffff::1
             4000:: 5f00::1
             fc00:: fd00:ec2::254 fdff:ffff::1
             fe80::1 febf::1 fec0::1 feff::1
             ff00:: ff02::1 ffff:ffff::1",
            false,
        );
    }
}
