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

#[test]
fn a_service_that_logs_json_says_nothing_else() {
    let folder = tempdir().unwrap();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let json = ("POSTHASTE_LOG_FORMAT", "json");
    for (arguments, variables, code, expect) in [
        (
            vec!["serve"],
            vec![
                json,
                ("POSTHASTE_ADMIN_BIND", "off"),
                ("POSTHASTE_BIND", &*address),
            ],
            1,
            "POSTHASTE_BIND: cannot listen on",
        ),
        (
            vec!["serve"],
            vec![json, ("POSTHASTE_BIND", "x")],
            2,
            "POSTHASTE_BIND: \"x\" is not",
        ),
        (
            vec!["worker", "--log-format", "json", "--nonsense"],
            vec![],
            2,
            "unexpected argument '--nonsense' found",
        ),
        (
            vec!["--log-format=json", "worker"],
            vec![("DATABASE_URL_FILE", "gone")],
            2,
            "DATABASE_URL_FILE: gone: ",
        ),
    ] {
        let output = run(&folder, &arguments, &variables);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{said}");
        let lines = said.lines().chain(text(&output.stdout).lines());
        let lines: Vec<serde_json::Value> = lines
            .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}")))
            .collect();
        let last = lines.iter().rfind(|line| line["level"] == "ERROR").unwrap();
        assert!(last["timestamp"].is_string() && last["target"].is_string());
        let message = last["message"].as_str().unwrap();
        assert!(message.starts_with(expect), "{message}");
    }
    let refused = run(&folder, &["migrate"], &[json, ("DATABASE_URL", "x")]);
    assert!(text(&refused.stderr).starts_with("error: DATABASE_URL: "));
}
