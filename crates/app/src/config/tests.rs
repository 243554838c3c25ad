use std::fmt::Debug;

use super::*;

/// Checks the results of a parser: `Ok` is the debug form of the value, `Err` the beginning of the
/// reason.
pub(super) fn check<T: Debug>(
    parse: impl Fn(&str) -> Result<T, String>,
    table: &[(&str, Result<&str, &str>)],
) {
    for (text, expected) in table {
        match (parse(text), expected) {
            (Ok(value), Ok(expected)) => assert_eq!(format!("{value:?}"), *expected, "{text:?}"),
            (Err(reason), Err(expected)) => {
                assert!(reason.starts_with(expected), "{text:?}: {reason}");
                assert!(!reason.contains('\n'), "{text:?}: {reason}");
            }
            (found, expected) => panic!("{text:?}: {found:?}, not {expected:?}"),
        }
    }
}

#[test]
fn a_replica_is_one_server() {
    let url = read_database_url(" postgres://u:secret@h/d?sslmode=require ");
    assert_eq!(url.map(|url| url.servers()), Ok(1));
    for (text, part) in [
        ("postgres://u:secret@h1,h2/d", "one server"),
        ("sqlite://data/posthaste.db", "postgres://"),
        ("h", "postgres://"),
    ] {
        let why = read_database_url(text).unwrap_err();
        assert!(why.contains(part) && !why.contains("secret"), "{why}");
    }
}

#[test]
fn database_urls() {
    check(
        database_url,
        &[
            (
                "sqlite://data/posthaste.db",
                Ok(r#"Sqlite("data/posthaste.db")"#),
            ),
            (
                "sqlite:///var/lib/posthaste.db",
                Ok(r#"Sqlite("/var/lib/posthaste.db")"#),
            ),
            (" sqlite://a b%20c.db ", Ok(r#"Sqlite("a b%20c.db")"#)),
            ("sqlite://", Err("names no file")),
            ("sqlite://dir/", Err("names no file")),
            (
                "sqlite://a.db?mode=rwc",
                Err("sqlite://PATH takes no parameters"),
            ),
            (
                "sqlite://:memory:",
                Err("a database in memory would be lost"),
            ),
            ("postgres:///d", Err("names no host")),
            (
                "postgresql://u:secret@h/d?sslmode=on",
                Err("`sslmode` must be"),
            ),
            ("mysql://u:secret@h/d", Err("must be sqlite://PATH")),
            ("posthaste.db", Err("must be sqlite://PATH")),
        ],
    );
    for url in ["postgres://u:secret@h:x/d", "mysql://u:secret@h/d"] {
        assert!(!database_url(url).unwrap_err().contains("secret"));
    }
    let url = database_url(" postgres://u:secret@h/d?sslmode=require ").unwrap();
    assert!(!url.is_embedded());
    assert!(!format!("{url:?}").contains("secret"), "{url:?}");
}

#[test]
fn addresses_to_listen_on() {
    check(
        bind,
        &[
            ("127.0.0.1:8080", Ok("127.0.0.1:8080")),
            ("0.0.0.0:0", Ok("0.0.0.0:0")),
            ("[::1]:80", Ok("[::1]:80")),
            (
                "localhost:8080",
                Err("\"localhost:8080\" is not an IP address with a port"),
            ),
            ("127.0.0.1", Err("\"127.0.0.1\" is not")),
            ("127.0.0.1:65536", Err("\"127.0.0.1:65536\" is not")),
        ],
    );
}

#[test]
fn public_urls() {
    check(
        public_url,
        &[
            (
                "https://jobs.example.org",
                Ok(r#""https://jobs.example.org""#),
            ),
            (
                "https://jobs.example.org/",
                Ok(r#""https://jobs.example.org""#),
            ),
            (
                "http://Jobs.example.org:80/",
                Ok(r#""http://jobs.example.org""#),
            ),
            (
                "https://jobs.example.org/board",
                Err("must have no path: the service is at the root of its host"),
            ),
            (
                "jobs.example.org",
                Err("not a URL such as https://jobs.example.org: relative URL"),
            ),
            (
                "ftp://jobs.example.org",
                Err("must begin with http:// or https://"),
            ),
            (
                "https://u:p@jobs.example.org",
                Err("must not hold a user name or password"),
            ),
            (
                "https://jobs.example.org/?a=b",
                Err("must have neither a query nor a fragment"),
            ),
            (
                "https://jobs.example.org/#a",
                Err("must have neither a query nor a fragment"),
            ),
        ],
    );
}

#[test]
fn numbers() {
    check(
        token_ttl,
        &[
            ("3600", Ok("3600s")),
            (" 1 ", Ok("1s")),
            (
                "0",
                Err("\"0\" is not a whole number of seconds from 1 to 31536000"),
            ),
            ("1h", Err("\"1h\" is not a whole number of seconds")),
            ("-1", Err("\"-1\" is not")),
        ],
    );
    check(
        body_limit,
        &[
            ("1048576", Ok("1048576")),
            (
                "0",
                Err("\"0\" is not a whole number of bytes from 1 to 1073741824"),
            ),
            ("1MB", Err("\"1MB\" is not")),
            (
                "99999999999999999999",
                Err("\"99999999999999999999\" is not"),
            ),
        ],
    );
    check(
        ingest_lanes,
        &[
            ("1", Ok("1")),
            ("4", Ok("4")),
            ("0", Err("\"0\" is not a whole number of lanes from 1 to 4")),
            ("5", Err("\"5\" is not")),
        ],
    );
    check(
        ingest_queue,
        &[
            ("4096", Ok("4096")),
            (
                "0",
                Err("\"0\" is not a whole number of pushes from 1 to 1000000"),
            ),
            ("many", Err("\"many\" is not")),
        ],
    );
    check(
        |text| posting_lifetime(text).map(Lifetime::is_limited),
        &[
            ("60", Ok("true")),
            ("0", Ok("false")),
            (
                "4294967296",
                Err("\"4294967296\" is not a whole number of days from 0 to"),
            ),
            ("1.5", Err("\"1.5\" is not")),
        ],
    );
    check(
        expired_before,
        &[
            ("365", Ok("Days(365)")),
            ("0", Err("\"0\" is not a whole number of days from 1 to")),
            ("2026-03-01", Ok("At(2026-03-01 0:00:00.0 +00:00:00)")),
            ("soon", Err("\"soon\" is neither a day")),
        ],
    );
    check(
        expired_texts_days,
        &[
            ("0", Ok("0")),
            ("36500", Ok("36500")),
            (
                "36501",
                Err("\"36501\" is not a whole number of days from 0 to 36500"),
            ),
            ("-1", Err("\"-1\" is not")),
        ],
    );
    check(
        |text| events_keep(text).map(|kept| kept.as_secs()),
        &[
            ("1", Ok("86400")),
            ("3650", Ok("315360000")),
            (
                "0",
                Err("\"0\" is not a whole number of days from 1 to 3650"),
            ),
            ("3651", Err("\"3651\" is not")),
        ],
    );
}

#[test]
fn the_provider_s_accounts() {
    check(
        requests_per_minute,
        &[
            ("120", Ok("120")),
            ("1", Ok("1")),
            (
                "0",
                Err("\"0\" is not a whole number of requests from 1 to 4294967295"),
            ),
            ("4294967296", Err("\"4294967296\" is not")),
            ("2/s", Err("\"2/s\" is not")),
        ],
    );
    check(
        group_id,
        &[
            (" 98765 ", Ok(r#"Id("98765")"#)),
            (" none ", Ok("None")),
            ("", Err("must not be empty")),
            (&"9".repeat(65), Err("must be at most 64 characters long")),
        ],
    );
    check(
        migration_source,
        &[
            ("manual", Ok("Manual")),
            (" launch ", Ok("Launch")),
            (
                "email_confirmation",
                Err("\"email_confirmation\" is not one of manual, launch"),
            ),
        ],
    );
    check(
        person,
        &[
            (
                " Ada@Example.com ",
                Ok(r#"Email(Email("ada@example.com"))"#),
            ),
            (
                " 01900000-0000-7000-8000-000000000001 ",
                Ok("Id(SubscriberId(01900000-0000-7000-8000-000000000001))"),
            ),
            ("ada", Err("\"ada\" must be a valid e-mail address")),
        ],
    );
}

#[test]
fn what_the_audit_is_asked_for() {
    check(
        since,
        &[
            ("2026-03-01", Ok("2026-03-01 0:00:00.0 +00:00:00")),
            (
                " 2026-03-01T12:00:00.5+02:00 ",
                Ok("2026-03-01 10:00:00.5 +00:00:00"),
            ),
            ("2026-02-30", Err("\"2026-02-30\" is neither a day")),
            ("yesterday", Err("\"yesterday\" is neither a day")),
        ],
    );
    check(
        operator,
        &[
            (" ann ", Ok(r#"Operator("ann")"#)),
            ("", Err("must not be empty")),
            ("a\tb", Err("must not contain control characters")),
        ],
    );
}

#[test]
fn secrets_are_taken_and_never_shown() {
    use secrecy::{ExposeSecret as _, SecretString};

    assert_eq!(api_key(" -sesame ").unwrap().expose_secret(), "-sesame");
    let one_word = "must be one word of ASCII characters";
    for (bad, reason) in [
        ("", "must not be empty"),
        ("two sesames", one_word),
        ("sesamé", one_word),
    ] {
        let found = api_key(bad).unwrap_err();
        assert!(found.starts_with(reason), "{bad:?}: {found}");
        assert!(!found.contains("sesam"), "{found}");
    }

    let WebhookSecrets(secrets) = webhook_secrets("sesame, simsim").unwrap();
    let secrets: Vec<_> = secrets.iter().map(SecretString::expose_secret).collect();
    assert_eq!(secrets, ["sesame", "simsim"]);
    for bad in ["sesame,", ",sesame", "sesame,,simsim", " "] {
        let found = webhook_secrets(bad).unwrap_err();
        assert_eq!(found, "has a comma with no secret beside it", "{bad:?}");
    }
    let shown = format!("{:?} {:?}", api_key("sesame"), webhook_secrets("sesame"));
    assert!(!shown.contains("sesame"), "{shown}");
}

#[test]
fn log_filters() {
    check(
        crate::logging::log_filter,
        &[
            ("info", Ok(r#""info""#)),
            ("info,posthaste=debug", Ok(r#""info,posthaste=debug""#)),
            ("posthaste=loud", Err("\"posthaste=loud\" is no log filter")),
        ],
    );
}

#[test]
fn names_and_ids() {
    check(
        client_name,
        &[
            (" Scraper ", Ok(r#""Scraper""#)),
            ("  ", Err("must not be empty")),
            ("a\nb", Err("must not contain control characters")),
            (&"ü".repeat(256), Err("must be at most 255 characters long")),
        ],
    );
    let id = "019a3c5e-0000-7000-8000-000000000000";
    check(
        client,
        &[
            (id, Ok(format!("Id(ClientId({id}))").as_str())),
            (" Ada ", Ok(r#"Name("Ada")"#)),
            ("1", Ok(r#"Name("1")"#)),
            ("", Err("must not be empty")),
        ],
    );
    check(
        scope,
        &[
            ("job-postings:write", Ok("JobPostingsWrite")),
            ("write", Err("\"write\" is not one of job-postings:write, ")),
        ],
    );
    check(
        status,
        &[
            ("approved", Ok("Approved")),
            ("pendingenrichment", Ok("PendingEnrichment")),
            ("open", Err("\"open\" is not one of PendingEnrichment, ")),
        ],
    );
    check(
        source_identifier,
        &[
            ("a/b?c 🦀", Ok(r#"SourceIdentifier("a/b?c 🦀")"#)),
            ("", Err("must not be empty")),
            ("a\tb", Err("must not contain control characters")),
        ],
    );
}

#[test]
fn formats_of_logs() {
    check(
        crate::logging::log_format,
        &[
            ("text", Ok("Text")),
            (" json ", Ok("Json")),
            ("", Err("\"\" is neither `text` nor `json`")),
            ("JSON", Err("\"JSON\" is neither `text` nor `json`")),
            ("logfmt", Err("\"logfmt\" is neither")),
        ],
    );
}
