use std::fmt::Debug;

use secrecy::ExposeSecret as _;

use super::*;

/// Checks the results of a parser, a text a line: behind `|` the debug form of the value, behind
/// `!` the beginning of the reason.
pub fn check<T: Debug>(parse: impl Fn(&str) -> Result<T, String>, table: &str) {
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
    check(
        client_limit,
        r#"
        1000000  | 1000000
        1000001  ! "1000001" is not a number between 1 and 1000000; to refuse every request,
        "#,
    );
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
fn names_and_ids() {
    check(
        client,
        r#"
        019a3c5e-0000-7000-8000-000000000000  | Id(ClientId(019a3c5e-0000-7000-8000-000000000000))
        Ada                                   | Name("Ada")
        1                                     | Name("1")
                                              ! must not be empty
        "#,
    );
    let long = client(&"ü".repeat(256)).unwrap_err();
    assert_eq!(long, "must be at most 255 characters long");
    check(
        scope,
        r#"
        job-postings:write  | JobPostingsWrite
        write               ! "write" is not one of job-postings:write,
        "#,
    );
    check(
        status,
        r#"
        approved           | Approved
        pendingenrichment  | PendingEnrichment
        open               ! "open" is not one of PendingEnrichment,
        "#,
    );
    check(
        person,
        r#"
        Ada@Example.com                       | Email(Email("ada@example.com"))
        01900000-0000-7000-8000-000000000001  | Id(SubscriberId(01900000-0000-7000-8000-000000000001))
        ada                                   ! "ada" must be a valid e-mail address
        "#,
    );
    check(
        catalogue,
        r#"
        a.b_C-1  | CatalogueName("a.b_C-1")
        a/b      ! "a/b" is not 1 to 64 characters of A-Za-z0-9._-
        ..       ! ".." has a meaning of its own
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
