//! `POSTHASTE_ADMIN_BIND`.

use std::net::{Ipv4Addr, SocketAddr};

use super::bind;

/// The address of `/metrics`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdminBind {
    /// Nowhere.
    Off,
    /// Here by default, or nowhere if another process listens here.
    IfFree(SocketAddr),
    /// Here.
    At(SocketAddr),
}

impl Default for AdminBind {
    fn default() -> Self {
        Self::IfFree((Ipv4Addr::LOCALHOST, 9464).into())
    }
}

/// `POSTHASTE_ADMIN_BIND`.
pub fn admin_bind(text: &str) -> Result<AdminBind, String> {
    if text.trim().eq_ignore_ascii_case("off") {
        return Ok(AdminBind::Off);
    }
    bind(text)
        .map(AdminBind::At)
        .map_err(|reason| format!("{reason}, nor `off`"))
}

#[cfg(test)]
mod tests {
    use super::{super::tests::check, *};

    #[test]
    fn addresses_for_metrics() {
        check(
            admin_bind,
            &[
                ("off", Ok("Off")),
                (" OFF ", Ok("Off")),
                ("127.0.0.1:9464", Ok("At(127.0.0.1:9464)")),
                ("[::]:0", Ok("At([::]:0)")),
                ("on", Err("\"on\" is not an IP address with a port")),
                ("9464", Err("\"9464\" is not an IP address with a port")),
            ],
        );
        assert!(admin_bind("no").unwrap_err().ends_with("nor `off`"));
        assert_eq!(
            format!("{:?}", AdminBind::default()),
            "IfFree(127.0.0.1:9464)"
        );
    }
}
