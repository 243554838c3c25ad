//! What a bad configuration of a language model says.

use std::fs;

use tempfile::tempdir;

use super::check_refused;

#[test]
fn a_bad_variable_stops_the_start_with_one_line() {
    let folder = tempdir().unwrap();
    for (variable, value, reason) in [
        (
            "BASE_URL",
            "https://u:sesame@h.example/v1",
            "must not hold a user name or password",
        ),
        ("BASE_URL", "api.example", "not a URL such as"),
        ("MODEL", "a\tb", "must not contain control characters"),
        (
            "API_KEY",
            "open sesame",
            "must be one word of ASCII characters",
        ),
        (
            "TIMEOUT",
            "2m",
            "\"2m\" is not a whole number of seconds from 1 to 3600",
        ),
        (
            "CONCURRENCY",
            "0",
            "\"0\" is not a whole number of calls from 1 to 256",
        ),
        (
            "PROMPT_PRICE",
            "free",
            "\"free\" is not a price of a million tokens",
        ),
        (
            "COMPLETION_PRICE",
            "-1",
            "\"-1\" is not a price of a million tokens",
        ),
    ] {
        let variable = format!("POSTHASTE_LLM_{variable}");
        let begin = format!("{variable}: {reason}");
        check_refused(&folder, &[(&variable, value)], &["serve"], &begin);
    }
}

#[test]
fn a_model_that_lacks_something_stops_the_start_with_one_line() {
    let folder = tempdir().unwrap();
    let llm = ("POSTHASTE_ENRICHER", "llm");
    let url = ("POSTHASTE_LLM_BASE_URL", "http://127.0.0.1:1/v1");
    let name = ("POSTHASTE_LLM_MODEL", "m");
    let key = ("POSTHASTE_LLM_API_KEY", "sesame");
    for command in ["serve", "worker"] {
        for (variables, missing) in [
            (&[llm, key] as &[_], "POSTHASTE_LLM_BASE_URL"),
            (&[llm, name, key], "POSTHASTE_LLM_BASE_URL"),
            (&[llm, url, key], "POSTHASTE_LLM_MODEL"),
        ] {
            let begin = format!("{missing}: is needed with the enricher `llm`\n");
            check_refused(&folder, variables, &[command], &begin);
        }
    }
    assert_eq!(
        fs::read_dir(folder.path()).unwrap().count(),
        0,
        "nothing was made"
    );
}
