//! The model's variables: a bad value stops the start with one line that names it.

use super::with_model;
use crate::harness::{Site, Store};

on_every_store! {
    a_model_needs_an_address_and_a_name,
    a_bad_variable_of_the_model_is_named_in_one_line,
    without_a_model_its_variables_are_not_needed,
    help_shows_the_variables_of_the_model,
}

const URL: &str = "http://127.0.0.1:1/v1";

/// Checks that a process ends at once as badly configured, and says in one line by which
/// variable.
fn refuses(site: &Site, command: &str, name: &str) {
    let before = site.log().len();
    // Not by running it to its end, which would never come if the value is taken.
    let status = site.begin(&[command]).stopped();
    let log = site.log();
    let complaint = &log[before..];
    assert_eq!(status.code(), Some(2), "{name}: {complaint}");
    assert!(complaint.contains(name), "{name}: {complaint}");
    assert_eq!(
        complaint.trim_end().lines().count(),
        1,
        "{name}: {complaint}"
    );
}

fn fresh_site(store: Store) -> Site {
    let site = Site::new(store);
    site.run(&["keys", "generate"]).succeeded();
    site
}

async fn a_model_needs_an_address_and_a_name(store: Store) {
    let site = fresh_site(store).with("POSTHASTE_ENRICHER", "llm");
    for command in ["serve", "worker"] {
        for (given, missing) in [
            ("POSTHASTE_LLM_MODEL", "POSTHASTE_LLM_BASE_URL"),
            ("POSTHASTE_LLM_BASE_URL", "POSTHASTE_LLM_MODEL"),
        ] {
            for nothing in [None, Some(""), Some("  ")] {
                let site = site.beside().with(given, URL);
                let site = match nothing {
                    None => site,
                    Some(blank) => site.with(missing, blank),
                };
                refuses(&site, command, missing);
            }
        }
    }
}

async fn a_bad_variable_of_the_model_is_named_in_one_line(store: Store) {
    let site = with_model(fresh_site(store), URL);
    for (name, values) in [
        (
            "POSTHASTE_LLM_BASE_URL",
            &[
                "nonsense",
                "ftp://models.example/v1",
                "https://a:b@models.example/v1",
            ][..],
        ),
        ("POSTHASTE_LLM_TIMEOUT", &["soon", "0", "-1", "1m"]),
        ("POSTHASTE_LLM_CONCURRENCY", &["many", "0", "257", "1.5"]),
        ("POSTHASTE_LLM_PROMPT_PRICE", &["cheap", "-1", "NaN", "inf"]),
        ("POSTHASTE_LLM_COMPLETION_PRICE", &["1,50", "-0.1"]),
        (
            "POSTHASTE_ADMIN_BIND",
            &["nonsense", "127.0.0.1", "127.0.0.1:99999", "on"],
        ),
    ] {
        for value in values {
            refuses(&site.beside().with(name, value), "serve", name);
        }
    }
    refuses(
        &site.beside().with("POSTHASTE_LLM_TIMEOUT", "x"),
        "worker",
        "POSTHASTE_LLM_TIMEOUT",
    );
    refuses(
        &site.beside().with("POSTHASTE_ADMIN_BIND", "x"),
        "worker",
        "POSTHASTE_ADMIN_BIND",
    );
}

async fn without_a_model_its_variables_are_not_needed(store: Store) {
    let site = Site::new(store).with("POSTHASTE_ENRICHER", "builtin");
    let _server = site.serve(&[]);
    // Nor is a model at hand that nobody wants.
    let beside = with_model(site.beside(), URL).with("POSTHASTE_ENRICHER", "builtin");
    let _other = beside.serve(&[]);
}

async fn help_shows_the_variables_of_the_model(store: Store) {
    let site = Site::new(store);
    for command in ["serve", "worker"] {
        let help = site.run(&[command, "--help"]).succeeded();
        for name in [
            "POSTHASTE_ENRICHER",
            "POSTHASTE_LLM_BASE_URL",
            "POSTHASTE_LLM_MODEL",
            "POSTHASTE_LLM_API_KEY",
            "POSTHASTE_LLM_TIMEOUT",
            "POSTHASTE_LLM_CONCURRENCY",
            "POSTHASTE_LLM_PROMPT_PRICE",
            "POSTHASTE_LLM_COMPLETION_PRICE",
            "POSTHASTE_ADMIN_BIND",
        ] {
            assert!(help.contains(name), "{command}: {name}: {help}");
        }
    }
}
