//! The listener for metrics, as far as it can fail.

use std::net::TcpListener;

use tempfile::tempdir;

use super::{check_refused, run, text};

#[test]
fn an_address_that_was_asked_for_and_cannot_be_had_is_a_failure() {
    let folder = tempdir().unwrap();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let admin = ("POSTHASTE_ADMIN_BIND", address.as_str());
    for arguments in [&["serve", "--bind", "127.0.0.1:0"] as &[_], &["worker"]] {
        let output = run(
            &folder,
            arguments,
            &[
                admin,
                ("POSTHASTE_CONSOLE_BIND", "off"),
                ("POSTHASTE_LOG", "error"),
            ],
        );
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{said}");
        let begin = format!("error: POSTHASTE_ADMIN_BIND: cannot listen on {address}: ");
        assert!(said.starts_with(&begin), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
    }
}

#[test]
fn a_bad_address_is_one_line() {
    let folder = tempdir().unwrap();
    check_refused(
        &folder,
        &[("POSTHASTE_ADMIN_BIND", "localhost")],
        &["serve"],
        "POSTHASTE_ADMIN_BIND: \"localhost\" is not an IP address",
    );
}
