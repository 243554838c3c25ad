//! Parses the values of options and variables. An error is printed after the option's name, and
//! does not repeat a value that may hold a password.

use std::{
    ffi::OsStr,
    net::{Ipv4Addr, SocketAddr},
    ops::RangeInclusive,
    time::Duration,
};

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use fields::line::short_text;
use kernel::CatalogueName;
use secrecy::SecretString;
use url::Url;

pub fn whole<T: TryFrom<u64> + 'static>(
    unit: &'static str,
    range: RangeInclusive<u64>,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static {
    move |text| {
        let number = text.trim().parse().ok();
        let number = number.filter(|number| range.contains(number));
        number
            .and_then(|number| T::try_from(number).ok())
            .ok_or_else(|| {
                let (least, most) = (range.start(), range.end());
                format!("{text:?} is not a whole number of {unit} from {least} to {most}")
            })
    }
}

/// A number of seconds, from 1.
pub fn seconds(
    most: u64,
) -> impl Fn(&str) -> Result<Duration, String> + Clone + Send + Sync + 'static {
    let parse = whole("seconds", 1..=most);
    move |text| parse(text).map(Duration::from_secs)
}

pub fn line(
    longest: usize,
) -> impl Fn(&str) -> Result<String, String> + Clone + Send + Sync + 'static {
    move |text| {
        let text = short_text(text, longest).map_err(|error| error.to_string())?;
        Ok(text.to_owned())
    }
}

pub fn one_of<T: Copy + Send + Sync + 'static>(
    words: &'static [(&'static str, T)],
) -> impl TypedValueParser<Value = T> {
    let names: Vec<_> = words.iter().map(|(word, _)| *word).collect();
    let expected = names.join(", ");
    named(names, move |text| {
        let found = words.iter().find(|(word, _)| *word == text.trim());
        let found = found.map(|(_, value)| *value);
        found.ok_or_else(|| format!("{text:?} is not one of {expected}"))
    })
}

pub fn named<T: Clone + Send + Sync + 'static>(
    names: impl Into<Vec<&'static str>>,
    parse: impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static,
) -> impl TypedValueParser<Value = T> {
    Names(names.into()).try_map(move |text| parse(&text))
}

/// Accepts any text: the parser that follows ignores spaces, and its error names the possible
/// words.
#[derive(Clone)]
struct Names(Vec<&'static str>);

impl TypedValueParser for Names {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.0.iter().map(PossibleValue::new)))
    }
}

pub fn catalogue(text: &str) -> Result<CatalogueName, String> {
    let name = CatalogueName::new(text);
    let name = name.map_err(|_| format!("{text:?} is not 1 to 64 characters of A-Za-z0-9._-"))?;
    if matches!(text, "." | "..") {
        return Err(format!(
            "{text:?} has a meaning of its own in the path of a URL"
        ));
    }
    Ok(name)
}

pub fn bind(text: &str) -> Result<SocketAddr, String> {
    text.trim().parse().map_err(|_| {
        format!("{text:?} is not an IP address with a port, such as 127.0.0.1:8080 or [::1]:8080")
    })
}

/// A listener that is not for clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdminBind {
    Off,
    /// Off if another process listens there.
    IfFree(SocketAddr),
    At(SocketAddr),
}

impl AdminBind {
    /// This port on the loopback interface, if it is free.
    pub fn if_free(port: u16) -> Self {
        Self::IfFree((Ipv4Addr::LOCALHOST, port).into())
    }
}

pub fn admin_bind(text: &str) -> Result<AdminBind, String> {
    if text.trim().eq_ignore_ascii_case("off") {
        return Ok(AdminBind::Off);
    }
    let address = bind(text).map(AdminBind::At);
    address.map_err(|reason| format!("{reason}, nor `off`"))
}

/// An `http` or `https` URL without credentials.
pub fn web_url(text: &str) -> Result<Url, String> {
    // The value is not repeated: it may hold a password.
    let url = Url::parse(text.trim())
        .map_err(|error| format!("not a URL such as https://jobs.example.org: {error}"))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err("must begin with http:// or https://".to_owned());
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("must not hold a user name or password".to_owned());
    }
    Ok(url)
}

/// A URL to which paths are appended.
pub fn base_url(text: &str) -> Result<Url, String> {
    let url = web_url(text)?;
    if url.query().is_some() || url.fragment().is_some() {
        return Err("must have neither a query nor a fragment".to_owned());
    }
    Ok(url)
}

/// A URL at the root of its host, returned without a slash at the end.
pub fn root_url(
    why: &'static str,
) -> impl Fn(&str) -> Result<String, String> + Clone + Send + Sync + 'static {
    move |text| {
        let url = base_url(text)?;
        if url.path() != "/" {
            return Err(format!("must have no path: {why}"));
        }
        Ok(url.as_str().trim_end_matches('/').to_owned())
    }
}

pub fn api_key(text: &str) -> Result<SecretString, String> {
    let key = text.trim();
    if key.is_empty() {
        Err("must not be empty".to_owned())
    } else if key.bytes().all(|byte| byte.is_ascii_graphic()) {
        Ok(key.into())
    } else {
        Err("must be one word of ASCII characters, which every API key is".to_owned())
    }
}

/// Checks a parser by lines: after a bar comes the debug form of the value, after `!` that of the
/// error.
///
/// # Panics
///
/// If a result differs.
#[cfg(any(test, feature = "testing"))]
#[expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a wrong table is a failed test"
)]
pub fn check<T: std::fmt::Debug>(parse: impl Fn(&str) -> Result<T, String>, table: &str) {
    for line in table.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let place = line.find(['|', '!']).unwrap();
        let (text, expected) = (line[..place].trim_end(), line[place + 1..].trim());
        match (parse(text), &line[place..=place]) {
            (Ok(value), "|") => assert_eq!(format!("{value:?}"), expected, "{text:?}"),
            (Err(reason), "!") => {
                assert!(reason.starts_with(expected), "{text:?}: {reason}");
                assert!(!reason.contains('\n'), "{text:?}: {reason}");
            }
            (found, _) => panic!("{found:?}, not {line}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret as _;

    use super::*;

    #[test]
    fn numbers() {
        check(
            seconds(31_536_000),
            r#"
            3600  | 3600s
            1     | 1s
            0     ! "0" is not a whole number of seconds from 1 to 31536000
            1h    ! "1h" is not a whole number of seconds
            -1    ! "-1" is not
            "#,
        );
        check(
            whole::<usize>("lanes", 1..=4),
            r#"
            4                     | 4
            5                     ! "5" is not a whole number of lanes from 1 to 4
            99999999999999999999  ! "99999999999999999999" is not
            "#,
        );
        assert_eq!(whole::<u8>("per cent", 0..=100)(" 7 "), Ok(7));
    }

    #[test]
    fn addresses_to_listen_on() {
        check(
            admin_bind,
            r#"
            off             | Off
            OFF             | Off
            0.0.0.0:0       | At(0.0.0.0:0)
            [::1]:80        | At([::1]:80)
            localhost:8080  ! "localhost:8080" is not an IP address with a port
            127.0.0.1       ! "127.0.0.1" is not
            9464            ! "9464" is not an IP address with a port
            "#,
        );
        assert!(admin_bind("no").unwrap_err().ends_with("nor `off`"));
    }

    #[test]
    fn urls() {
        check(
            root_url("it is at the root"),
            r#"
            https://jobs.example.org         | "https://jobs.example.org"
            http://Jobs.example.org:80/      | "http://jobs.example.org"
            https://jobs.example.org/board   ! must have no path: it is at the root
            jobs.example.org                 ! not a URL such as https://jobs.example.org: relative URL
            ftp://jobs.example.org           ! must begin with http:// or https://
            https://u:p@jobs.example.org     ! must not hold a user name or password
            https://jobs.example.org/?a=b    ! must have neither a query nor a fragment
            https://jobs.example.org/#a      ! must have neither a query nor a fragment
            "#,
        );
    }

    #[test]
    fn keys_are_taken_and_never_shown() {
        assert_eq!(api_key(" -sesame ").unwrap().expose_secret(), "-sesame");
        for bad in ["two sesames", "sesamé"] {
            let found = api_key(bad).unwrap_err();
            assert!(found.starts_with("must be one word of ASCII"), "{found}");
            assert!(!found.contains("sesam"), "{found}");
        }
        assert_eq!(api_key(" ").unwrap_err(), "must not be empty");
        assert!(!format!("{:?}", api_key("sesame")).contains("sesame"));
    }
}
