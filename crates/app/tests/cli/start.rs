use std::{io::Read as _, process::Stdio};

use rustix::process::Signal;
use serde_json::Value;

use super::{Place, signal, taken, text};

#[test]
fn an_address_in_use_is_reported_with_its_variable() {
    let (place, (_taken, address)) = (Place::new(), taken());
    for (line, variable, option) in [
        ("serve --admin-bind off", "POSTHASTE_BIND", "--bind"),
        (
            "serve --bind 127.0.0.1:0",
            "POSTHASTE_ADMIN_BIND",
            "--admin-bind",
        ),
        ("worker", "POSTHASTE_ADMIN_BIND", "--admin-bind"),
    ] {
        let quiet = [
            ("POSTHASTE_CONSOLE_BIND", "off"),
            ("POSTHASTE_LOG", "error"),
        ];
        let variables = [quiet[0], quiet[1], (variable, address.as_str())];
        let said = place.fails_with(line, &variables);
        let begin = format!("{variable}: cannot listen on {address}: ");
        assert!(said.starts_with(&begin) && said.contains(option), "{said}");
    }
}

#[test]
fn an_unknown_variable_is_reported_once_and_does_no_harm() {
    let output = Place::new().run("migrate", &[("POSTHASTE_BNID", "sesame")]);
    assert_eq!(output.status.code(), Some(0));
    let said = text(&output.stderr);
    assert!(said.contains("unknown variable POSTHASTE_BNID; is POSTHASTE_BIND meant?"));
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(!said.contains("sesame"), "{said}");
}

#[test]
fn a_service_that_logs_json_says_nothing_else() {
    let (place, (_taken, address)) = (Place::new(), taken());
    let json = ("POSTHASTE_LOG_FORMAT", "json");
    let gone = ("DATABASE_URL_FILE", "gone");
    let (bind, bad) = (("POSTHASTE_BIND", &*address), ("POSTHASTE_BIND", "x"));
    let serve = "serve --admin-bind off";
    for (line, variables, code, expect) in [
        (serve, [json, bind], 1, "POSTHASTE_BIND: cannot listen on"),
        ("serve", [json, bad], 2, "POSTHASTE_BIND: \"x\" is not"),
        (
            "worker --nonsense",
            [json; 2],
            2,
            "unexpected argument '--nonsense' found",
        ),
        (
            "--log-format=json worker",
            [gone; 2],
            2,
            "DATABASE_URL_FILE: gone: ",
        ),
    ] {
        let output = place.run(line, &variables);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{said}");
        let lines = said.lines().chain(text(&output.stdout).lines());
        let lines: Vec<Value> = lines
            .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}")))
            .collect();
        let last = lines.iter().rfind(|line| line["level"] == "ERROR").unwrap();
        assert!(last["timestamp"].is_string() && last["target"].is_string());
        let message = last["message"].as_str().unwrap();
        assert!(message.starts_with(expect), "{message}");
    }
    place.refuses("migrate", &[json, ("DATABASE_URL", "x")], "DATABASE_URL: ");
}

#[test]
fn an_interrupted_push_says_that_it_is_safe_to_push_again() {
    let place = Place::new();
    place.write("in", "{}");
    // A service that never answers.
    let (service, address) = taken();
    let line = format!("push in --url http://{address} --client-id I --client-secret S");
    let mut push = place.command(&line);
    let mut push = push.stdout(Stdio::piped()).spawn().unwrap();
    // From here on it handles signals.
    let _connection = service.accept().unwrap();
    signal(&push, Signal::INT);
    let mut said = Vec::new();
    push.stdout.take().unwrap().read_to_end(&mut said).unwrap();
    assert_eq!(push.wait().unwrap().code(), Some(130));
    assert!(text(&said).contains("To push the same again is safe."));
}
