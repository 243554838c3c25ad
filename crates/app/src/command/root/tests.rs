use std::ffi::OsString;

use access::Scope;

use super::*;
use crate::{
    cli::EnricherKind,
    command::{Clients, Command},
    database_url::DatabaseUrl,
};

fn arguments(line: &str) -> Vec<OsString> {
    line.split(' ').map(OsString::from).collect()
}

fn parsed(line: &str) -> Command {
    parse(&arguments(line))
        .unwrap_or_else(|refusal| panic!("{line}: {refusal}"))
        .command
}

#[test]
fn the_definitions_are_sound() {
    Cli::command().debug_assert();
}

/// Every command with its arguments, their variables and what they are unless given.
fn surface(path: &str, command: &clap::Command, lines: &mut Vec<String>) {
    lines.push(path.to_owned());
    for arg in command.get_arguments() {
        let name = match arg.get_long() {
            Some("help" | "version") => continue,
            Some(long) => format!("--{long}"),
            None => arg.get_id().as_str().to_ascii_uppercase(),
        };
        let variable = arg
            .get_env()
            .map(|name| name.to_string_lossy().into_owned());
        let is_switch = matches!(arg.get_action(), clap::ArgAction::SetTrue);
        let defaults = arg.get_default_values().iter().filter(|_| !is_switch);
        let mut words: Vec<_> = [Some(name), variable].into_iter().flatten().collect();
        words.extend(defaults.map(|value| format!("= {}", value.to_string_lossy())));
        for (is_so, word) in [
            (is_switch, "switch"),
            (arg.is_required_set(), "required"),
            (arg.is_hide_set(), "hidden"),
            (options::secret(arg).is_some(), "secret"),
        ] {
            words.extend(is_so.then(|| format!("({word})")));
        }
        lines.push(format!("  {}", words.join(" ")));
    }
    for command in command.get_subcommands() {
        surface(&format!("{path} {}", command.get_name()), command, lines);
    }
}

/// Other people's scripts name these.
#[test]
fn commands_options_variables_and_defaults_stay() {
    let mut found = Vec::new();
    surface("posthaste", &definitions(), &mut found);
    let expected: Vec<_> = include_str!("surface.txt").lines().collect();
    if found != expected {
        let file = std::env::temp_dir().join("surface.txt");
        std::fs::write(&file, found.join("\n") + "\n").unwrap();
        panic!("differs from what {} has", file.display());
    }
}

#[test]
fn usage_errors_are_worded_by_clap() {
    for line in [
        "posthaste",
        "posthaste nonsense",
        "posthaste serve --nonsense",
        "posthaste clients create --name N",
        "posthaste outbox retry",
        "posthaste outbox retry 1 --all-dead",
        "posthaste push f --url http://127.0.0.1:1",
        "posthaste push f --url http://127.0.0.1:1 --client-id I --client-secret S --max-missing 5",
        "posthaste subscribers",
        "posthaste subscribers migrate --source manual",
        "posthaste subscribers migrate --all",
        "posthaste subscribers suppress a@example.com",
        "posthaste subscribers reinstate a@example.com",
        "posthaste subscribers rotate-token a@example.com",
        "posthaste subscribers suppressions",
        "posthaste subscribers migrate a@example.com --all --source manual",
    ] {
        let refusal = parse(&arguments(line)).unwrap_err();
        assert!(matches!(refusal, Refusal::Usage(_)), "{line}: {refusal}");
    }
}

#[test]
fn usage_names_what_would_do_instead() {
    for (line, instead) in [
        (
            "posthaste outbox retry",
            "outbox retry [OPTIONS] --all-dead",
        ),
        (
            "posthaste subscribers migrate --source manual",
            "subscribers migrate [OPTIONS] --source <SOURCE> --all",
        ),
    ] {
        let refusal = parse(&arguments(line)).unwrap_err().to_string();
        assert!(refusal.contains(instead), "{refusal}");
    }
}

#[test]
fn a_secret_may_start_with_a_hyphen() {
    // One in 64 does: secrets are base64url.
    let line = "posthaste push f --url http://127.0.0.1:1 --client-id I --client-secret -a-b";
    let Command::Push(args) = parsed(line) else {
        panic!("{line}");
    };
    assert_eq!(
        secrecy::ExposeSecret::expose_secret(&args.client_secret),
        "-a-b"
    );
}

#[test]
fn a_bad_value_is_one_line_that_names_the_option() {
    for (line, expected) in [
        (
            "posthaste serve --bind x",
            "--bind: \"x\" is not an IP address with a port",
        ),
        (
            "posthaste serve --bind=x",
            "--bind: \"x\" is not an IP address with a port",
        ),
        ("posthaste keys retire x", "KID: \"x\" is not a key id"),
        (
            "posthaste clients create --name N --scope x",
            "--scope: \"x\" is not one of job-",
        ),
        ("posthaste outbox retry x", "ID: \"x\" is not the number"),
        (
            "posthaste push f --catalogue a/b",
            "--catalogue: \"a/b\" is not 1 to 64 characters of",
        ),
        (
            "posthaste push f --catalogue ..",
            "--catalogue: \"..\" has a meaning of its own",
        ),
        (
            "posthaste push f --catalogue c --max-missing 101",
            "--max-missing: \"101\" is not a whole number of per cent from 0 to 100",
        ),
        (
            "posthaste postings list --status x",
            "--status: \"x\" is not one of Pending",
        ),
        (
            "posthaste subscribers show x",
            "EMAIL: \"x\" must be a valid e-mail address",
        ),
        (
            "posthaste subscribers migrate a@example.com x --source manual",
            "EMAIL: \"x\" must be a valid",
        ),
        (
            "posthaste subscribers migrate --all --source email_confirmation",
            "--source: \"email_confirmation\" is not one of manual, launch",
        ),
        (
            "posthaste worker --mailerlite-requests-per-minute 0",
            "--mailerlite-requests-per-minute: \"0\" is not a whole number",
        ),
        (
            "posthaste serve --mailerlite-webhook-secret a,,b",
            "--mailerlite-webhook-secret: has a comma",
        ),
    ] {
        match parse(&arguments(line)) {
            Err(Refusal::Value(text)) => {
                assert!(text.starts_with(expected), "{line}: {text}");
                assert!(!text.contains('\n'), "{line}: {text}");
            }
            other => panic!("{line}: {other:?}"),
        }
    }
}

#[test]
fn an_account_without_a_key_is_none() {
    let parsed_accounts = |options: &str| {
        let line = format!("posthaste worker{options}");
        let Command::Worker(args) = parsed(&line) else {
            panic!("{line}")
        };
        args.work.accounts.settings()
    };
    let none = parsed_accounts(" --mailerlite-new-group-id 7");
    assert!(none.old.is_none() && none.new.is_none());
    assert_eq!(none.requests_per_minute.get(), 120);

    let both = parsed_accounts(
        " --mailerlite-old-api-key -sesame --mailerlite-new-api-key simsim \
         --mailerlite-new-group-id 7 --mailerlite-new-base-url http://127.0.0.1:1/api \
         --mailerlite-requests-per-minute 60",
    );
    assert!(!format!("{both:?}").contains("sesame"), "{both:?}");
    assert_eq!(both.requests_per_minute.get(), 60);
    let (old, new) = (both.old.unwrap(), both.new.unwrap());
    assert_eq!(secrecy::ExposeSecret::expose_secret(&old.key), "-sesame");
    assert_eq!(old.base_url.as_str(), adapters_mailerlite::DEFAULT_BASE_URL);
    assert_eq!(new.base_url.as_str(), "http://127.0.0.1:1/api");
    assert_eq!((old.group, new.group.as_deref()), (None, Some("7")));
}

#[test]
fn a_model_needs_an_address_and_a_name() {
    let kind = |options: &str| {
        let line = format!("posthaste worker{options}");
        let Command::Worker(args) = parsed(&line) else {
            panic!("{line}")
        };
        args.work.enricher.kind()
    };
    assert!(matches!(kind(""), Ok(EnricherKind::Builtin)));
    // What is said of a model that nobody uses does no harm.
    let unused = kind(" --llm-model m --llm-api-key sesame");
    assert!(matches!(unused, Ok(EnricherKind::Builtin)));
    for (options, variable) in [
        (" --enricher llm", "POSTHASTE_LLM_BASE_URL"),
        (
            " --enricher llm --llm-base-url http://127.0.0.1:1/v1",
            "POSTHASTE_LLM_MODEL",
        ),
    ] {
        let refusal = kind(options).unwrap_err().to_string();
        assert_eq!(
            refusal,
            format!("{variable}: is needed with the enricher `llm`")
        );
    }

    let all = kind(
        " --enricher llm --llm-base-url http://127.0.0.1:1/v1?a=b --llm-model m --llm-api-key \
         -sesame --llm-timeout 9 --llm-concurrency 7 --llm-prompt-price 0.5 --llm-extra-body {\"a\":1}",
    );
    assert!(!format!("{all:?}").contains("sesame"), "{all:?}");
    let Ok(EnricherKind::Llm(model, 7)) = all else {
        panic!("{all:?}")
    };
    assert_eq!(model.base_url.as_str(), "http://127.0.0.1:1/v1?a=b");
    assert_eq!(model.model, "m");
    let key = model.api_key.unwrap();
    assert_eq!(secrecy::ExposeSecret::expose_secret(&key), "-sesame");
    assert_eq!(model.timeout.as_secs(), 9);
    assert_ne!(
        model.extra_body,
        adapters_llm::ExtraBody::parse("{}").unwrap()
    );
    assert!((model.prices.prompt - 0.5).abs() < f64::EPSILON);
    assert!(model.prices.completion.abs() < f64::EPSILON);
}

#[test]
fn scopes_may_be_given_in_both_ways() {
    let line = "posthaste clients create --name N --scope job-postings:read,job-postings:write \
                --scope newsletter-subscribers:write";
    let Command::Clients(Clients::Create(args)) = parsed(line) else {
        panic!("{line}")
    };
    let read_write_subscribe = [
        Scope::JobPostingsRead,
        Scope::JobPostingsWrite,
        Scope::NewsletterSubscribersWrite,
    ];
    assert_eq!(args.scopes, read_write_subscribe);
}

#[test]
fn the_database_is_in_the_data_directory_unless_named() {
    for (line, file) in [
        ("posthaste migrate", "./data/posthaste.db"),
        ("posthaste migrate --data-dir d", "d/posthaste.db"),
        (
            "posthaste migrate --data-dir d --database-url sqlite://e/f.db",
            "e/f.db",
        ),
    ] {
        let Command::Migrate(migrate) = parsed(line) else {
            panic!("{line}")
        };
        assert_eq!(
            migrate.store.database(),
            DatabaseUrl::Sqlite(file.into()),
            "{line}"
        );
    }
}

#[test]
fn a_variable_without_a_value_counts_as_unset() {
    for (value, is_switch, expected) in [
        ("", false, true),
        ("  ", false, true),
        ("0", false, false),
        ("false", false, false),
        ("", true, true),
        ("0", true, true),
        ("False", true, true),
        ("off", true, true),
        ("1", true, false),
        ("yes", true, false),
    ] {
        let found = options::counts_as_unset(value.as_ref(), is_switch);
        assert_eq!(found, expected, "{value:?}, switch: {is_switch}");
    }
}
