use std::{fmt, path::PathBuf, str::FromStr};

use percent_encoding::percent_decode_str;
use tokio_postgres::{
    Config,
    config::{Host, SslMode},
};

use crate::error::chain;

/// The address of a database, `postgres://user:password@host:port/database?sslmode=…`, with libpq's
/// parameters.
///
/// | `sslmode` | encrypted | issuer checked | host name checked |
/// |---|---|---|---|
/// | `disable` | no | | |
/// | `prefer` (the default) | if the server can | no | no |
/// | `require` | yes | if `sslrootcert` is given | no |
/// | `verify-ca` | yes | yes | no |
/// | `verify-full` | yes | yes | yes |
///
/// `sslrootcert` names a PEM file of trusted certificates. If it is missing or `system`,
/// `verify-ca` and `verify-full` use the certificates that the operating system trusts.
#[derive(Clone, PartialEq, Eq)]
pub struct PostgresUrl {
    config: Config,
    verification: Verification,
    roots: Roots,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verification {
    None,
    Issuer,
    Full,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Roots {
    System,
    File(PathBuf),
}

/// Never contains the address, which may include a password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidPostgresUrl(String);

impl fmt::Display for InvalidPostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InvalidPostgresUrl {}

impl PostgresUrl {
    pub fn servers(&self) -> usize {
        self.config.get_hosts().len()
    }

    /// The servers, for messages: `db1.example:5432, db2.example:5432`.
    pub fn places(&self) -> String {
        let ports = self.config.get_ports();
        let port = |at: usize| ports.get(at).or(ports.first()).copied().unwrap_or(5432);
        let hosts = self.config.get_hosts().iter().enumerate();
        let places = hosts.map(|(at, host)| match host {
            Host::Tcp(name) => format!("{name}:{}", port(at)),
            #[cfg(unix)]
            Host::Unix(path) => path.display().to_string(),
        });
        places.collect::<Vec<_>>().join(", ")
    }

    pub(crate) const fn config(&self) -> &Config {
        &self.config
    }

    pub(crate) const fn verification(&self) -> Verification {
        self.verification
    }

    pub(crate) const fn roots(&self) -> &Roots {
        &self.roots
    }
}

impl fmt::Debug for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // `Debug` of `Config` omits the password.
        f.debug_struct("PostgresUrl")
            .field("config", &self.config)
            .field("verification", &self.verification)
            .field("roots", &self.roots)
            .finish()
    }
}

/// libpq parameters that are not implemented. They are refused: ignoring them would be unsafe.
const UNSUPPORTED: [&str; 10] = [
    "gssencmode",
    "passfile",
    "service",
    "sslcert",
    "sslcrl",
    "sslcrldir",
    "sslkey",
    "sslpassword",
    "ssl_max_protocol_version",
    "ssl_min_protocol_version",
];

impl FromStr for PostgresUrl {
    type Err = InvalidPostgresUrl;

    fn from_str(text: &str) -> Result<Self, InvalidPostgresUrl> {
        if !(text.starts_with("postgres://") || text.starts_with("postgresql://")) {
            return Err(invalid("must begin with postgres://"));
        }
        let (address, query) = text.split_once('?').unwrap_or((text, ""));
        let mut sslmode = None;
        let mut roots = None;
        let mut rest = Vec::new();
        for parameter in query.split('&').filter(|parameter| !parameter.is_empty()) {
            let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            let value = percent_decode_str(value)
                .decode_utf8()
                .map_err(|_| invalid(format!("`{name}` is not percent-encoded UTF-8")))?;
            match name {
                "sslmode" => sslmode = Some(value),
                "sslrootcert" if value.is_empty() => {
                    return Err(invalid("`sslrootcert` names no file"));
                }
                "sslrootcert" if value == "system" => roots = Some(Roots::System),
                "sslrootcert" => roots = Some(Roots::File(PathBuf::from(value.as_ref()))),
                _ if UNSUPPORTED.contains(&name) => {
                    return Err(invalid(format!("`{name}` is not supported; leave it out")));
                }
                _ => rest.push(parameter),
            }
        }
        let mut config: Config = format!("{address}?{}", rest.join("&"))
            .parse()
            .map_err(|error| invalid(chain(&error)))?;
        if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
            return Err(invalid("names no host; use postgres://user@host/database"));
        }
        let (mode, verification) = security(sslmode.as_deref(), roots.as_ref())?;
        config.ssl_mode(mode);
        Ok(Self {
            config,
            verification,
            roots: roots.unwrap_or(Roots::System),
        })
    }
}

fn security(
    sslmode: Option<&str>,
    roots: Option<&Roots>,
) -> Result<(SslMode, Verification), InvalidPostgresUrl> {
    let by_system = roots == Some(&Roots::System);
    let sslmode = sslmode.unwrap_or(if by_system { "verify-full" } else { "prefer" });
    if by_system && sslmode != "verify-full" {
        // Anyone can get a trusted certificate for their own host name.
        return Err(invalid(format!(
            "`sslrootcert=system` is only as good as the check of the host's name; use \
             sslmode=verify-full instead of {sslmode}"
        )));
    }
    match (sslmode, roots) {
        ("disable", _) => Ok((SslMode::Disable, Verification::None)),
        ("prefer", _) => Ok((SslMode::Prefer, Verification::None)),
        ("require", None) => Ok((SslMode::Require, Verification::None)),
        ("require", Some(_)) | ("verify-ca", _) => Ok((SslMode::Require, Verification::Issuer)),
        ("verify-full", _) => Ok((SslMode::Require, Verification::Full)),
        ("allow", _) => Err(invalid(
            "`sslmode=allow` is not supported; use prefer, which encrypts if the server can",
        )),
        _ => Err(invalid(
            "`sslmode` must be disable, prefer, require, verify-ca or verify-full",
        )),
    }
}

fn invalid(why: impl Into<String>) -> InvalidPostgresUrl {
    InvalidPostgresUrl(why.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sslmode_says_how_the_way_is_secured() {
        use Roots::System;
        use SslMode::{Disable, Prefer, Require};
        use Verification::{Full, Issuer, None};
        let file = || Roots::File("/etc/ca.pem".into());
        for (parameters, mode, verification, roots) in [
            ("", Prefer, None, System),
            ("sslmode=disable", Disable, None, System),
            ("sslmode=prefer", Prefer, None, System),
            ("sslmode=require", Require, None, System),
            (
                "sslmode=verify-ca&sslrootcert=/etc/ca.pem",
                Require,
                Issuer,
                file(),
            ),
            ("sslmode=verify-full", Require, Full, System),
            ("sslmode=verify%2Dfull", Require, Full, System),
            (
                "sslmode=verify-full&sslrootcert=system",
                Require,
                Full,
                System,
            ),
            ("sslrootcert=system", Require, Full, System),
            (
                "sslrootcert=%2Fetc%2Fca.pem&sslmode=require",
                Require,
                Issuer,
                file(),
            ),
            (
                "sslmode=prefer&sslrootcert=/etc/ca.pem",
                Prefer,
                None,
                file(),
            ),
            (
                "application_name=a&sslmode=verify-full&connect_timeout=3",
                Require,
                Full,
                System,
            ),
        ] {
            let url: PostgresUrl = format!("postgres://u:p@localhost/db?{parameters}")
                .parse()
                .unwrap_or_else(|error| panic!("{parameters}: {error}"));
            assert_eq!(url.config.get_ssl_mode(), mode, "{parameters}");
            assert_eq!(url.verification, verification, "{parameters}");
            assert_eq!(url.roots, roots, "{parameters}");
        }
    }

    #[test]
    fn other_parameters_go_to_the_connection() {
        let url: PostgresUrl =
            "postgresql://us%40er:p%3Aw@[::1]:5433/my%20db?application_name=x&sslmode=disable&options=-c%20geqo%3Doff"
                .parse()
                .unwrap();
        assert_eq!(url.config.get_user(), Some("us@er"));
        assert_eq!(url.config.get_password(), Some("p:w".as_bytes()));
        assert_eq!(url.config.get_ports(), [5433]);
        assert_eq!(url.config.get_dbname(), Some("my db"));
        assert_eq!(url.config.get_application_name(), Some("x"));
        assert_eq!(url.config.get_options(), Some("-c geqo=off"));
    }

    #[test]
    fn several_servers_may_be_named() {
        use tokio_postgres::config::TargetSessionAttrs;

        let url: PostgresUrl =
            "postgres://u@db1.example,db2.example:5433/x?target_session_attrs=read-write&sslmode=verify-full"
                .parse()
                .unwrap();
        assert_eq!(url.config.get_hosts().len(), 2);
        assert_eq!(url.config.get_ports(), [5432, 5433]);
        assert_eq!(
            url.config.get_target_session_attrs(),
            TargetSessionAttrs::ReadWrite
        );
    }

    #[test]
    fn an_error_names_what_is_wrong() {
        for (text, expect) in [
            ("mysql://h/db", "postgres://"),
            ("postgres:///db", "names no host"),
            ("postgres://h/db?sslmode=on", "`sslmode`"),
            ("postgres://h/db?sslmode=", "`sslmode`"),
            ("postgres://h/db?sslmode=allow", "prefer"),
            ("postgres://h/db?sslmode=VERIFY-FULL", "`sslmode`"),
            ("postgres://h/db?sslrootcert=", "`sslrootcert`"),
            (
                "postgres://h/db?sslmode=require&sslrootcert=system",
                "verify-full",
            ),
            (
                "postgres://h/db?sslmode=verify-ca&sslrootcert=system",
                "verify-full",
            ),
            ("postgres://h/db?sslmode=%ff", "`sslmode`"),
            ("postgres://h/db?sslcert=c.pem", "`sslcert`"),
            ("postgres://h/db?colour=blue", "colour"),
            ("postgres://h/db?connect_timeout=soon", "connect_timeout"),
            ("postgres://h:port/db", "port"),
        ] {
            let error = text.parse::<PostgresUrl>().unwrap_err().to_string();
            assert!(error.contains(expect), "{text}: {error}");
        }
    }

    #[test]
    fn passwords_are_not_shown() {
        let url: PostgresUrl = "postgres://u:hunter2@h/db".parse().unwrap();
        assert!(!format!("{url:?}").contains("hunter2"));
        for text in [
            "postgres://u:hunter2@h:x/db",
            "postgres://u:hunter2@/db",
            "postgres://u:hunter2@h/db?x=1",
            "postgres://u:hunter2",
        ] {
            let error = text.parse::<PostgresUrl>().unwrap_err().to_string();
            assert!(!error.contains("hunter2"), "{error}");
        }
    }
}
