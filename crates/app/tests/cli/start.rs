//! What is said at the start.

use std::net::TcpListener;

use tempfile::tempdir;

use super::{check_refused, run, text};

#[test]
fn an_address_that_is_taken_is_told_with_its_variable() {
    let folder = tempdir().unwrap();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let variables = [
        ("POSTHASTE_BIND", address.as_str()),
        ("POSTHASTE_ADMIN_BIND", "off"),
        ("POSTHASTE_CONSOLE_BIND", "off"),
        ("POSTHASTE_LOG", "error"),
    ];
    let output = run(&folder, &["serve"], &variables);
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stderr);
    let begin = format!("error: POSTHASTE_BIND: cannot listen on {address}: ");
    assert!(
        said.starts_with(&begin) && said.contains("--bind"),
        "{said}"
    );
    assert_eq!(said.lines().count(), 1, "{said}");
}

#[test]
fn a_variable_that_nobody_knows_is_told_once_and_does_no_harm() {
    let folder = tempdir().unwrap();
    let output = run(&folder, &["migrate"], &[("POSTHASTE_BNID", "sesame")]);
    assert_eq!(output.status.code(), Some(0));
    let said = text(&output.stderr);
    assert!(said.contains("unknown variable POSTHASTE_BNID; is POSTHASTE_BIND meant?"));
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(!said.contains("sesame"), "{said}");
}

#[test]
fn a_header_of_operators_needs_the_proxy_and_its_secret() {
    let folder = tempdir().unwrap();
    let header = ("POSTHASTE_CONSOLE_USER_HEADER", "X-User");
    let proxies = ("POSTHASTE_CONSOLE_PROXIES", "127.0.0.1");
    for (variables, begin) in [
        (vec![header], "POSTHASTE_CONSOLE_PROXIES: is needed"),
        (
            vec![header, proxies],
            "POSTHASTE_CONSOLE_PROXY_SECRET: is needed",
        ),
        (
            vec![("POSTHASTE_CONSOLE_PROXY_SECRET", "two words")],
            "POSTHASTE_CONSOLE_PROXY_SECRET: must be printable",
        ),
    ] {
        check_refused(&folder, &variables, &["serve"], begin);
    }
}
