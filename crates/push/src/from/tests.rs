use std::{fs, path::PathBuf};

use cli::misconfigured::Misconfigured;
use domain::posting::PostingPatch;
use fields::body;
use serde_json::{Value, json};

use super::*;

fn converted(from: &str, settings: &[&str], content: &[u8]) -> anyhow::Result<Converted> {
    let settings: Vec<_> = settings.iter().map(|it| it.parse().unwrap()).collect();
    let file = tempfile::NamedTempFile::new()?;
    fs::write(&file, content)?;
    Conversion::new(from, &settings)?.convert(file.path())
}

fn lines(converted: &Converted) -> Vec<String> {
    let mut lines = Vec::new();
    let kept = converted.each_line(|line| {
        lines.push(String::from_utf8(line.trim_ascii_end().to_vec())?);
        Ok(())
    });
    kept.unwrap();
    lines
}

fn own(program: &str, content: &[u8]) -> anyhow::Result<Converted> {
    let file = tempfile::NamedTempFile::new()?;
    fs::write(&file, program)?;
    converted(file.path().to_str().unwrap(), &[], content)
}

fn sample(name: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/src/from/samples")).join(name)
}

/// For each preset: its sample, the numbers of items and failed items, and the fields that strict
/// validation would refuse.
const SAMPLES: &[(&str, &str, u64, u64, &[&str])] = &[
    (
        "ashby",
        "ashby.json",
        3,
        1,
        &["locations.1.country_code", "salary_min"],
    ),
    ("csv", "csv.csv", 3, 1, &["salary_max"]),
    ("greenhouse", "greenhouse.json", 3, 1, &["no company.name"]),
    ("indeed", "indeed.xml", 3, 1, &[]),
    (
        "jobspy",
        "jobspy.csv",
        5,
        2,
        &["no company.website_url", "salary_max", "salary_min"],
    ),
    ("lever", "lever.json", 3, 1, &[]),
    ("personio", "personio.xml", 3, 1, &[]),
    (
        "recruitee",
        "recruitee.json",
        3,
        1,
        &["location_country_code"],
    ),
    (
        "schemaorg",
        "schemaorg.html",
        5,
        2,
        &[
            "company.website_url",
            "employment_types.1",
            "location_country_code",
            "locations.1.country_code",
            "no company.website_url",
            "salary_max",
            "salary_min",
        ],
    ),
    ("smartrecruiters", "smartrecruiters.json", 3, 1, &[]),
    (
        "teamtailor",
        "teamtailor.xml",
        3,
        1,
        &[
            "location_country_code",
            "locations.0.country_code",
            "locations.1.country_code",
        ],
    ),
    (
        "workable",
        "workable.json",
        3,
        1,
        &["location_country_code"],
    ),
];

fn settings(preset: &str) -> &'static [&'static str] {
    match preset {
        "personio" => &[
            "application_url=https://acme.jobs.personio.de/job/{id}",
            "company.website_url=https://acme.example",
            "company.name=Acme",
        ],
        _ => &[],
    }
}

#[test]
fn every_item_of_a_source_becomes_a_line_or_is_reported() {
    let mut differing = Vec::new();
    for (preset, file, items, failed, not_strict) in SAMPLES {
        let content = fs::read(sample(file)).unwrap();
        let converted = converted(preset, settings(preset), &content).unwrap();
        let lines = lines(&converted);
        let counts = (converted.items, converted.failed, converted.repeated);
        assert_eq!(
            counts,
            (*items, *failed, 0),
            "{preset}: {:?}",
            converted.failures
        );
        assert_eq!(
            (lines.len() as u64, converted.lines),
            (*items, *items),
            "{preset}"
        );
        assert_eq!(converted.failures.len() as u64, *failed, "{preset}");

        let mut refused: Vec<_> = lines.iter().flat_map(|line| refusals(line)).collect();
        refused.sort();
        refused.dedup();
        assert_eq!(refused, *not_strict, "{preset}");

        let expected = sample(&format!("{preset}.ndjson"));
        let found = lines.join("\n") + "\n";
        if fs::read_to_string(&expected).unwrap_or_default() != found {
            let path = std::env::temp_dir().join(format!("{preset}.ndjson"));
            fs::write(&path, found).unwrap();
            differing.push(path);
        }
    }
    assert!(
        differing.is_empty(),
        "other lines than in the samples: {differing:?}"
    );
    assert_eq!(SAMPLES.len(), PRESETS.len());
}

/// The fields that strict validation refuses, or that a new posting lacks.
fn refusals(line: &str) -> Vec<String> {
    let line: Value = serde_json::from_str(line).unwrap();
    let payload = &line["payload"];
    if line["id"].is_null() {
        return Vec::new();
    }
    let required = [
        "title",
        "raw_description",
        "company.name",
        "company.website_url",
    ];
    let lacks = required.iter().filter(|field| {
        let pointer = format!("/{}", field.replace('.', "/"));
        payload.pointer(&pointer).is_none()
    });
    let mut refused: Vec<_> = lacks.map(|field| format!("no {field}")).collect();
    if payload.get("application_url").is_none() && payload.get("application_email").is_none() {
        refused.push("no application_url".to_owned());
    }
    let (_, errors) = body::parse::<PostingPatch>(&payload.to_string()).unwrap();
    refused.extend(errors.iter().map(|(field, _)| field.to_owned()));
    refused
}

#[test]
fn a_failed_item_is_reported_with_its_place_and_has_a_line_without_an_identifier() {
    let program = ".id as $id | {id: $id, payload: {title: .t[0]}}";
    let source = b"{\"id\":1,\"t\":[\"T\"]}\n{\"id\":2,\"t\":7}\n{\"t\":[]}\n[]\n[3]\n";
    let converted = own(program, source).unwrap();
    let lines = lines(&converted);
    assert_eq!(lines[0], r#"{"id":"1","payload":{"title":"T"}}"#);
    let stub: Value = serde_json::from_str(&lines[1]).unwrap();
    let reason = "item 2: cannot index 7 with 0\n  {\"id\":2,\"t\":7}";
    assert_eq!(stub, json!({"id": null, "payload": {"error": reason}}));
    assert_eq!((converted.items, converted.failed, lines.len()), (4, 3, 4));
    assert_eq!(converted.failures[0], reason);
    assert!(converted.failures[1].contains("item 3: it has no identifier"));

    let nothing = own("empty", b"a,b\n1,2\n").unwrap();
    assert!(nothing.failures[0].starts_with("item 1, line 2: the program yields nothing"));
    let many = own("error", "1 ".repeat(100).as_bytes());
    assert!(many.is_err());
    let many = own("error(\"no\")", "[1]".repeat(100).as_bytes()).unwrap();
    assert_eq!((many.failed, many.failures.len()), (100, DESCRIBED));
    for yielded in [
        "1",
        "{id: 1}",
        "{id: 1, payload: []}",
        "{id: 1, payload: {a: nan}}",
        "halt",
    ] {
        let failed = own(yielded, b"{}").unwrap();
        assert_eq!((failed.items, failed.failed), (1, 1), "{yielded}");
    }
    let repeated = own("{id, payload: {}}", b"{\"id\":1}{\"id\":\"1\"}").unwrap();
    assert_eq!(repeated.repeated, 1);
}

#[test]
fn settings_set_fields_and_prefix_identifiers() {
    let settings = [
        "id_prefix=acme-",
        "company.name=Acme",
        "salary_min=5",
        "title=5 {id}",
        "employment_types=[\"full-time\"]",
        "a.b.c={id}",
    ];
    let source = b"id,title,company\n7,T,Other\n";
    let converted = converted("csv", &settings, source).unwrap();
    let line: Value = serde_json::from_str(&lines(&converted)[0]).unwrap();
    let expect = json!({"id": "acme-7", "payload": {"title": "5 7", "company": {"name": "Acme"},
        "salary_min": 5, "employment_types": ["full-time"], "a": {"b": {"c": 7}}}});
    assert_eq!(line, expect);
    for wrong in ["company", "=x", "a..b=x", ".=x"] {
        assert!(wrong.parse::<Setting>().is_err(), "{wrong}");
    }
}

#[test]
fn a_place_in_words_may_name_its_country() {
    for (city, country) in [
        ("Oslo, Norway", json!("NO")),
        ("Remote - Germany", json!("DE")),
        ("London, England, UK", json!("GB")),
        ("Chicago, IL, US", json!("US")),
        ("Berlin, Germany; Remote", json!("DE")),
        ("Berlin, Germany; Paris, France", Value::Null),
        ("Chicago, IL", Value::Null),
        ("Atlanta, Georgia", Value::Null),
        ("Norway, Maine", Value::Null),
        ("Norway", Value::Null),
    ] {
        let program = "{id, payload: {location_city: .c, locations: [{city: .c}]}}";
        let converted = own(program, json!({"id": 1, "c": city}).to_string().as_bytes());
        let line: Value = serde_json::from_str(&lines(&converted.unwrap())[0]).unwrap();
        let payload = &line["payload"];
        assert_eq!(payload["location_country_code"], country, "{city}");
        assert_eq!(payload["locations"][0]["country_code"], country, "{city}");
    }
}

#[test]
fn a_setting_may_fill_what_is_missing() {
    let settings = [
        "company.website_url?=https://e.example/{company}",
        "title?=None",
    ];
    let source = br#"{"id":1,"payload":{"company":{"name":"M\u00fcller & Co."}}}
        {"id":2,"payload":{"title":"T","company":{"name":"A","website_url":"https://a.example"}}}"#;
    let program = tempfile::NamedTempFile::new().unwrap();
    fs::write(&program, ".").unwrap();
    let converted = converted(program.path().to_str().unwrap(), &settings, source).unwrap();
    let payloads = lines(&converted).into_iter().map(|line| {
        let line: Value = serde_json::from_str(&line).unwrap();
        line["payload"].clone()
    });
    let expect = [
        json!({"title": "None", "company":
            {"name": "M\u{fc}ller & Co.", "website_url": "https://e.example/m\u{fc}ller-co"}}),
        json!({"title": "T", "company": {"name": "A", "website_url": "https://a.example"}}),
    ];
    assert_eq!(payloads.collect::<Vec<_>>(), expect);
}

#[test]
fn a_program_says_where_the_items_are() {
    let program = "# items: .pages[] | .jobs[]\n{id: .n, payload: {}}";
    let source = br#"{"pages":[{"jobs":[{"n":1},{"n":2}]},{"jobs":[]},{"jobs":[{"n":3}]}]}"#;
    assert_eq!(own(program, source).unwrap().items, 3);
    assert_eq!(
        own("{id, payload: {}}", b"[{\"id\":1},{\"id\":2}]")
            .unwrap()
            .items,
        2
    );
    let empty = converted("greenhouse", &[], b"{\"jobs\":[]}").unwrap();
    assert_eq!((empty.items, empty.lines), (0, 0));
}

#[test]
fn what_is_no_such_source_is_refused_as_a_whole() {
    let fails = |from: &str, content: &[u8], expect: &str| {
        let error = converted(from, &[], content).map(|it| it.items);
        let error = format!("{:#}", error.expect_err(expect));
        assert!(error.contains(expect), "{error}");
    };
    fails(
        "greenhouse",
        b"<!doctype html><title>Sign in</title>",
        "the items cannot be found",
    );
    fails("greenhouse", b"{\"jobs\":[{\"id\":1},", "beyond item 0");
    fails(
        "lever",
        b"{\"ok\":false,\"error\":\"Document not found\"}",
        "there is no \"postings\"",
    );
    fails(
        "personio",
        b"<html><body>Personio</body></html>",
        "the items cannot be found",
    );
    fails(
        "personio",
        b"<workzag-jobs><position><id>1</id>",
        "ends before <position> does",
    );
    fails(
        "indeed",
        b"<?xml version='1.0' encoding='ISO-8859-1'?><source/>",
        "iconv",
    );
    fails("csv", b"one column\nx\n", "header");
    fails("csv", b"\xFF\xFEi\0d\0", "UTF-16");
    fails("csv", b"<source>\xFF</source>", "UTF-8");
    let deep = "<a>".repeat(200);
    fails("indeed", deep.as_bytes(), "128 levels");
    fails("lever", "[".repeat(100_000).as_bytes(), "recursion limit");
}

#[test]
fn what_is_no_preset_and_no_program_is_bad_usage() {
    for (converted, expect) in [
        (
            converted("nonsense", &[], b""),
            "neither a file nor one of the presets ashby, csv",
        ),
        (own(".a |", b"{}"), "line 1, at ``: term is expected"),
        (own("# ok\n{id: nonsense}", b"{}"), "line 2, at `nonsense`"),
        (own("# items: .[\n.", b"{}"), "the items of"),
    ] {
        let error = converted.unwrap_err();
        assert!(error.is::<Misconfigured>(), "{expect}");
        assert!(error.to_string().contains(expect), "{error:#}");
    }
}

#[test]
fn xml_becomes_json_as_documented() {
    for (xml, expect) in [
        ("<a/>", json!({"a": null})),
        ("<a> x </a>", json!({"a": "x"})),
        ("<a b='1'>x</a>", json!({"a": {"@b": "1", "#text": "x"}})),
        (
            "<a b='&quot;&amp;&eacute;'/>",
            json!({"a": {"@b": "&quot;&amp;&eacute;"}}),
        ),
        (
            "<a><x>1</x><n:c/><x>2</x></a>",
            json!({"a": {"x": ["1", "2"], "n:c": null}}),
        ),
        (
            "<a><![CDATA[<p>]]>&lt;b&gt;&nbsp;&#233; R&D</a>",
            json!({"a": "<p><b>&nbsp;é R&D"}),
        ),
        (
            "<a>Hello <b>you</b> <c/></a>",
            json!({"a": "Hello <b>you</b> <c/>"}),
        ),
        ("<a><p>x</p><p>y</p></a>", json!({"a": "<p>x</p><p>y</p>"})),
        (
            "<!DOCTYPE x [<!ENTITY e SYSTEM 'file:///etc/passwd'>]><a>&e;</a>",
            json!({"a": "&e;"}),
        ),
    ] {
        let found = xml::parse(xml).unwrap().to_string();
        assert_eq!(
            serde_json::from_str::<Value>(&found).unwrap(),
            expect,
            "{xml}"
        );
    }
}
