use domain::posting::event::{COMPANY_UPDATED, JOB_POSTING_CREATED};

use super::*;

const REFUSE: PrivateAddresses = PrivateAddresses::Refuse;

fn create(body: &str) -> Result<NewEndpoint, BodyError> {
    NewEndpoint::parse(body.as_bytes(), REFUSE)
}

fn change(body: &str) -> Result<EndpointChange, BodyError> {
    EndpointChange::parse(body.as_bytes(), REFUSE)
}

fn fields<T: std::fmt::Debug>(result: Result<T, BodyError>) -> Vec<String> {
    match result {
        Err(BodyError::Invalid(errors)) => {
            let all = errors.iter();
            all.flat_map(|(field, all)| all.iter().map(move |error| format!("{field} {error}")))
                .collect()
        }
        other => panic!("{other:?}"),
    }
}

/// The list may come from a body, a form, or the options of a command.
#[test]
fn a_list_of_events_has_each_once_in_its_order() {
    let listed = ["CompanyUpdated", " JobPostingCreated ", "CompanyUpdated"];
    let listed = listed.map(|name| name.parse().unwrap());
    let names = [COMPANY_UPDATED, JOB_POSTING_CREATED];
    assert_eq!(PublicEvent::names(listed.to_vec()), names);
    let unknown = "X".parse::<PublicEvent>().unwrap_err();
    assert!(
        unknown.starts_with("\"X\" is not one of JobPostingCreated, "),
        "{unknown}"
    );
}

#[test]
fn an_endpoint_has_an_address_and_defaults() {
    let plain = NewEndpoint {
        url: EndpointUrl::from_store("https://acme.example/").unwrap(),
        names: None,
        include_posting: false,
        description: None,
    };
    let full = NewEndpoint {
        names: Some(vec![COMPANY_UPDATED, JOB_POSTING_CREATED]),
        include_posting: true,
        description: Some("Ours".to_owned()),
        ..plain.clone()
    };
    for (body, expect) in [
        (r#"{"url":" https://acme.example "}"#, &plain),
        (
            r#"{"url":"https://acme.example/","types":null,"include_posting":null}"#,
            &plain,
        ),
        (
            r#"{"url":"https://acme.example", "types":["CompanyUpdated","JobPostingCreated",
                "CompanyUpdated"], "include_posting":true, "description":" Ours "}"#,
            &full,
        ),
    ] {
        assert_eq!(create(body).as_ref(), Ok(expect), "{body}");
    }
}

#[test]
fn a_change_has_only_what_is_sent() {
    let all = EndpointChange {
        url: Patch::Set(EndpointUrl::from_store("https://b.example/").unwrap()),
        names: Patch::Clear,
        include_posting: Patch::Clear,
        description: Patch::Clear,
        state: Patch::Set(WantedState::Paused),
    };
    let some = EndpointChange {
        names: Patch::Set(vec![COMPANY_UPDATED]),
        include_posting: Patch::Set(false),
        ..EndpointChange::default()
    };
    for (body, expect) in [
        ("{}", EndpointChange::default()),
        (
            r#"{"url":"https://b.example/","types":null,"include_posting":null,
                "description":" ","state":"paused"}"#,
            all,
        ),
        (
            r#"{"types":["CompanyUpdated"],"include_posting":false}"#,
            some,
        ),
    ] {
        assert_eq!(change(body), Ok(expect), "{body}");
    }
}

#[test]
fn all_errors_are_in_one_answer() {
    let types = format!("one of {}", PUBLIC.map(|name| name.to_string()).join(", "));
    let long = "ü".repeat(LONGEST_DESCRIPTION + 1);
    let body = format!(
        r#"{{"url":"http://a.example","types":["Created","CompanyUpdated",null,1],
            "include_posting":"yes","description":"{long}","state":"disabled","x":"\u0000"}}"#
    );
    let state = "state must be one of active, paused, not \"disabled\"";
    let expect = [
        &format!("types.0 must be {types}, not \"Created\"; is \"JobPostingCreated\" meant?"),
        "types.2 must not be null or blank",
        "types.3 must be a string, not a number",
        "include_posting must be true or false, not a string",
        "description must be at most 255 characters long, and has 256",
        state,
        "x must not contain the character U+0000",
        "x is not a known field",
        "url must be an https URL, as plain http can be read and changed on its way",
    ];
    assert_eq!(fields(change(&body)), expect);
    let new = "state cannot be sent with a new webhook, which is active; change it then";
    let mut created = fields(create(&body));
    assert_eq!(created.remove(6), new);
    assert_eq!(created, expect);
}

/// The error names the intended member, even for a name that another service uses.
#[test]
fn members_that_a_body_does_not_have_are_refused() {
    let unknown =
        |name, nearest| format!("{name} is not a known field; the nearest one is {nearest}");
    for (sent, nearest) in [
        ("events", "types"),
        ("event_types", "types"),
        ("eventTypes", "types"),
        ("type", "types"),
        ("callback_url", "url"),
        ("includePosting", "include_posting"),
        ("include_postings", "include_posting"),
        ("descripton", "description"),
        ("status", "state"),
    ] {
        let body = format!(r#"{{"url":"https://acme.example/","{sent}":["X"]}}"#);
        let expect = [unknown(sent, nearest)];
        assert_eq!(fields(create(&body)), expect);
        assert_eq!(fields(change(&body)), expect);
    }
    let xyzzy = "xyzzy is not a known field";
    assert_eq!(fields(change(r#"{"xyzzy":1}"#)), [xyzzy]);
    let until = r#"{"since":"2026-03-01T12:00:00Z","xyzzy":1}"#;
    assert_eq!(fields(parse_replay(until.as_bytes())), [xyzzy]);
    let event = format!(r#"{{"event":"{}","xyzzy":1}}"#, Cursor::START);
    assert_eq!(fields(parse_resend(event.as_bytes())), [xyzzy]);
    let active = r#"{"url":"https://acme.example/","state":"active"}"#;
    let state = "state cannot be sent with a new webhook, which is active; change it then";
    assert_eq!(fields(create(active)), [state]);
    assert!(change(active).is_ok());
}

#[test]
fn the_intended_event_is_suggested() {
    for (text, expect) in [
        ("jobPostingApproved", Some("JobPostingApproved")),
        ("job_posting.approved", Some("JobPostingApproved")),
        ("posting.approved", Some("JobPostingApproved")),
        ("job-expired", Some("JobPostingExpired")),
        ("Created", Some("JobPostingCreated")),
        ("JobPostingAproved", Some("JobPostingApproved")),
        ("company.updated", Some("CompanyUpdated")),
        ("x", None),
    ] {
        assert_eq!(PublicEvent::likely(text), expect, "{text}");
        let meant = expect.map(|name| format!("; is \"{name}\" meant?"));
        let meant = meant.unwrap_or_default();
        let refused = fields(change(&format!(r#"{{"types":["{text}"]}}"#))).remove(0);
        assert!(
            refused.ends_with(&format!("not \"{text}\"{meant}")),
            "{refused}"
        );
        let refused = text.parse::<PublicEvent>().unwrap_err();
        assert!(
            refused.ends_with(&format!("ReportDecided{meant}")),
            "{refused}"
        );
    }
}

#[test]
fn a_body_lacks_nothing_that_it_needs() {
    let blank = "url must not be null or blank";
    let since = "since must be a time in RFC 3339, like 2026-12-31T12:00:00Z, not \"now\"";
    for (found, expect) in [
        (fields(create("{}")), "url is required"),
        (fields(create(r#"{"url":null}"#)), blank),
        (fields(create(r#"{"url":" "}"#)), blank),
        (fields(change(r#"{"url":null}"#)), blank),
        (
            fields(change(r#"{"state":null}"#)),
            "state must not be null or blank",
        ),
        (
            fields(change(r#"{"types":[]}"#)),
            "types must name at least one event, or be null for all events",
        ),
        (fields(change("[]")), "body must be a JSON object"),
        (fields(parse_replay(b"{}")), "since is required"),
        (fields(parse_replay(br#"{"since":"now"}"#)), since),
        (fields(parse_resend(b"{}")), "event is required"),
    ] {
        assert_eq!(found, [expect]);
    }
    assert!(matches!(change("{"), Err(BodyError::NotJson(_))));
    let since = parse_replay(br#"{"since":"2026-03-01T12:00:00Z"}"#);
    assert_eq!(since, Ok(time::macros::datetime!(2026-03-01 12:00 UTC)));
}
