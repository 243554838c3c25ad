use std::ffi::OsString;

use access::Scope;

use super::*;
use crate::{
    command::{Clients, Command},
    config,
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

#[test]
fn every_option_is_a_variable_too() {
    fn check(path: &str, command: &clap::Command) {
        for arg in command.get_arguments().filter(|arg| !arg.is_positional()) {
            let is_clap_s = matches!(arg.get_id().as_str(), "help" | "version");
            assert!(
                is_clap_s || arg.get_env().is_some(),
                "{path} --{}",
                arg.get_id()
            );
        }
        for subcommand in command.get_subcommands() {
            check(&format!("{path} {}", subcommand.get_name()), subcommand);
        }
    }
    check("posthaste", &Cli::command());
}

#[test]
fn every_list_and_show_has_json_and_every_list_a_limit() {
    /// Lists that are under another name.
    const LISTS: [&str; 2] = ["audit", "deliveries"];
    fn check(path: &str, command: &clap::Command, seen: &mut usize) {
        let name = command.get_name();
        let is_list = name == "list" || LISTS.contains(&name);
        let has = |long: &str| {
            let mut options = command.get_arguments();
            options.any(|arg| arg.get_long() == Some(long))
        };
        if is_list || name == "show" {
            *seen += 1;
            assert!(has("json"), "{path} --json");
            assert_eq!(has("limit"), is_list, "{path} --limit");
        }
        for subcommand in command.get_subcommands() {
            check(
                &format!("{path} {}", subcommand.get_name()),
                subcommand,
                seen,
            );
        }
    }
    let mut seen = 0;
    check("posthaste", &Cli::command(), &mut seen);
    assert!(seen >= 11, "{seen}");
}

#[test]
fn every_command_of_the_contract_is_there() {
    for line in [
        "posthaste demo --exit --data-dir d",
        "posthaste serve --no-worker",
        "posthaste worker",
        "posthaste migrate",
        "posthaste keys generate",
        "posthaste keys list",
        "posthaste keys retire 019a3c5e-0000-7000-8000-000000000000",
        "posthaste clients create --name N --scope job-postings:write --scope job-postings:read --json",
        "posthaste clients list",
        "posthaste clients revoke 019a3c5e-0000-7000-8000-000000000000",
        "posthaste push f.ndjson --url http://127.0.0.1:1 --client-id I --client-secret S --concurrency 8 --rejects r",
        "posthaste push - --url http://127.0.0.1:1 --client-id I --client-secret S",
        "posthaste push f.ndjson.gz --url http://127.0.0.1:1 --client-id I --client-secret S --catalogue a.b_C-1 --max-missing 100 --min-missing 5 --misses 3 --reopen --dry-run --strict --json",
        "posthaste catalogues list --client I --limit 5 --json",
        "posthaste catalogues show a --client I --json",
        "posthaste catalogues undo a --client I --operator ann",
        "posthaste postings list --status approved",
        "posthaste postings show a/b --json",
        "posthaste postings approve a/b",
        "posthaste postings reject a/b --reason spam",
        "posthaste postings feature a/b --off",
        "posthaste subscribers show ada@example.com --json",
        "posthaste subscribers import f.csv",
        "posthaste subscribers import -",
        "posthaste subscribers migrate a@example.com b@example.com --source manual",
        "posthaste subscribers migrate --all --source launch",
        "posthaste subscribers export",
        "posthaste subscribers show 019a3c5e-0000-7000-8000-000000000000",
        "posthaste subscribers import f.csv --dry-run",
        "posthaste subscribers suppress ada@example.com --reason asked",
        "posthaste subscribers reinstate ada@example.com --reason asked --operator ann",
        "posthaste subscribers rotate-token ada@example.com --reason forwarded",
        "posthaste subscribers suppressions export",
        "posthaste subscribers suppressions import -",
        "posthaste audit --since 2026-03-01 --json",
        "posthaste subscribers erase ada@example.com",
        "posthaste outbox list --dead --json",
        "posthaste outbox list --limit 1000000",
        "posthaste outbox retry 1 2 3",
        "posthaste outbox retry --all-dead",
        "posthaste webhooks create --url https://a.example/ --type JobPostingApproved --prefix acme- --include-posting --description D --json",
        "posthaste webhooks list --limit 5 --json",
        "posthaste webhooks show 019a3c5e-0000-7000-8000-000000000000 --json",
        "posthaste webhooks pause 019a3c5e-0000-7000-8000-000000000000",
        "posthaste webhooks resume 019a3c5e-0000-7000-8000-000000000000 --operator ann",
        "posthaste webhooks rotate 019a3c5e-0000-7000-8000-000000000000 --json",
        "posthaste webhooks test 019a3c5e-0000-7000-8000-000000000000 --webhook-private allow",
        "posthaste webhooks replay 019a3c5e-0000-7000-8000-000000000000 --since 2026-03-01",
        "posthaste webhooks update 019a3c5e-0000-7000-8000-000000000000 --url https://b.example --type CompanyUpdated --description D",
        "posthaste webhooks update 019a3c5e-0000-7000-8000-000000000000 --all-types",
        "posthaste webhooks resend 019a3c5e-0000-7000-8000-000000000000 00000000000012670000000000000001",
        "posthaste webhooks deliveries 019a3c5e-0000-7000-8000-000000000000 --limit 3 --json",
        "posthaste webhooks delete 019a3c5e-0000-7000-8000-000000000000",
        "posthaste doctor --no-worker --public-url https://jobs.example.org --json",
        "posthaste backup d",
        "posthaste restore d --data-dir e",
        "posthaste copy --to postgres://p@db.example/p",
        "posthaste healthcheck --url https://jobs.example.org",
        "posthaste completions bash",
        "posthaste man /tmp/pages",
        "posthaste openapi",
        "posthaste openapi --log debug",
    ] {
        parsed(line);
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
    assert!(matches!(kind(""), Ok(config::EnricherKind::Builtin)));
    // What is said of a model that nobody uses does no harm.
    let unused = kind(" --llm-model m --llm-api-key sesame");
    assert!(matches!(unused, Ok(config::EnricherKind::Builtin)));
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
    let Ok(config::EnricherKind::Llm(settings)) = all else {
        panic!("{all:?}")
    };
    assert_eq!(settings.concurrency, 7);
    let model = settings.model;
    assert_eq!(model.base_url.as_str(), "http://127.0.0.1:1/v1?a=b");
    assert_eq!(model.model, "m");
    let key = model.api_key.unwrap();
    assert_eq!(secrecy::ExposeSecret::expose_secret(&key), "-sesame");
    assert_eq!(model.timeout.as_secs(), 9);
    assert_eq!(Ok(model.extra_body), config::llm_extra_body(r#"{"a":1}"#));
    assert!((model.prices.prompt - 0.5).abs() < f64::EPSILON);
    assert!(model.prices.completion.abs() < f64::EPSILON);
}

#[test]
fn metrics_have_a_place_unless_they_are_switched_off() {
    for (options, expected) in [
        ("", "IfFree(127.0.0.1:9464)"),
        (" --admin-bind 127.0.0.1:9464", "At(127.0.0.1:9464)"),
        (" --admin-bind off", "Off"),
    ] {
        let line = format!("posthaste worker{options}");
        let Command::Worker(args) = parsed(&line) else {
            panic!("{line}")
        };
        assert_eq!(format!("{:?}", args.admin.bind()), expected, "{line}");
    }
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
            config::DatabaseUrl::Sqlite(file.into()),
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

#[test]
fn every_secret_is_known() {
    fn collect(command: &clap::Command, found: &mut std::collections::BTreeSet<String>) {
        found.extend(command.get_arguments().filter_map(options::secret));
        for subcommand in command.get_subcommands() {
            collect(subcommand, found);
        }
    }
    let mut found = std::collections::BTreeSet::new();
    collect(&Cli::command(), &mut found);
    let expect = [
        "DATABASE_URL",
        "POSTHASTE_CLIENT_SECRET",
        "POSTHASTE_CONSOLE_PROXY_SECRET",
        "POSTHASTE_COPY_TO",
        "POSTHASTE_LLM_API_KEY",
        "POSTHASTE_MAILERLITE_NEW_API_KEY",
        "POSTHASTE_MAILERLITE_OLD_API_KEY",
        "POSTHASTE_MAILERLITE_WEBHOOK_SECRET",
        "POSTHASTE_READ_DATABASE_URL",
    ];
    assert_eq!(found.into_iter().collect::<Vec<_>>(), expect);
}
