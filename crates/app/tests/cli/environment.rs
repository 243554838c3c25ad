use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt as _,
    path::Path,
};

use super::{Place, text};

fn with_dotenv(content: &str) -> Place {
    let place = Place::new();
    dotenv(&place, content);
    place
}

fn dotenv(place: &Place, content: &str) {
    place.write(".env", content);
    set_mode(&place.path(".env"), 0o600);
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

/// Whether `migrate` creates its database in this folder.
fn migrates_to(place: &Place, data: &str, variables: &[(&str, &str)]) -> bool {
    place.says_with("migrate", variables);
    place.path(data).join("posthaste.db").exists()
}

#[test]
fn a_dotenv_file_is_read_and_gives_way_to_variables() {
    let place = with_dotenv("# ours\nPOSTHASTE_DATA_DIR=from-file\n");
    assert!(migrates_to(&place, "from-file", &[]));
    assert!(migrates_to(
        &place,
        "mine",
        &[("POSTHASTE_DATA_DIR", "mine")]
    ));
}

#[test]
fn a_log_line_says_that_the_dotenv_file_was_read() {
    let place = with_dotenv(
        "POSTHASTE_LOG=info\nHTTPS_PROXY=http://x\nUSER=eve\nDATABASE_URL=sqlite://a.db\n",
    );
    let output = place.run("migrate", &[]);
    let said = text(&output.stderr);
    for part in [
        "the .env file was read",
        "POSTHASTE_LOG,DATABASE_URL",
        "ignored=2",
    ] {
        assert!(said.contains(part), "{said}");
    }
    let output = Place::new().run("migrate", &[("POSTHASTE_LOG", "info")]);
    assert!(!text(&output.stderr).contains(".env"));
}

#[test]
fn only_variables_of_the_program_are_taken_from_a_dotenv_file() {
    let place = with_dotenv("USER=eve\nHOME=/nowhere\nNAME=file\nPOSTHASTE_DATA_DIR=$NAME\n");
    assert!(migrates_to(&place, "file", &[]), "others are substituted");
    dotenv(&place, "NO_COLOR=1\nNOTIFY_SOCKET=/x\nRUST_LOG=a=b=c\n");
    place.refuses("migrate", &[], "RUST_LOG: ");
}

#[test]
fn a_dotenv_file_that_others_may_write_stops_the_start() {
    let place = with_dotenv("POSTHASTE_DATA_DIR=evil\n");
    let path = place.path(".env");
    for mode in [0o620, 0o602, 0o666] {
        set_mode(&path, mode);
        place.refuses("migrate", &[], ".env: others may write it");
    }
    set_mode(&path, 0o600);
    set_mode(place.0.path(), 0o777);
    place.refuses("migrate", &[], ".env: every user may replace it");
    set_mode(place.0.path(), 0o1777);
    assert!(migrates_to(&place, "evil", &[]));
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    place.refuses("migrate", &[], ".env: is not a file");
}

#[test]
fn a_bad_dotenv_file_stops_the_start_without_showing_its_values() {
    for end in ["", " 'x"] {
        let content = format!("A=1\nPOSTHASTE_CLIENT_SECRET=top secret{end}\n");
        let place = with_dotenv(&content);
        let begin = ".env: line 2 (POSTHASTE_CLIENT_SECRET) is not NAME=value";
        place.refuses("migrate", &[], begin);
        let output = place.run("migrate", &[]);
        assert!(!text(&output.stderr).contains("top"), "{content}");
    }
}

#[test]
fn a_secret_is_taken_from_a_file() {
    let place = Place::new();
    place.write("url", "sqlite://by-file.db\n");
    let output = place.run("migrate", &[("DATABASE_URL_FILE", "url")]);
    assert_eq!(text(&output.stderr), "");
    assert!(place.path("by-file.db").exists());
    dotenv(&place, "DATABASE_URL_FILE=url\n");
    place.write("url", "sqlite://by-dotenv.db");
    place.says("migrate");
    assert!(place.path("by-dotenv.db").exists());
}

#[test]
fn a_dotenv_file_gives_way_to_a_secret_in_either_form() {
    let place = with_dotenv("DATABASE_URL_FILE=gone\n");
    place.says_with("migrate", &[("DATABASE_URL", "sqlite://a.db")]);
    assert!(place.path("a.db").exists());
    place.write("url", "sqlite://b.db");
    dotenv(&place, "DATABASE_URL=sqlite://c.db\n");
    place.says_with("migrate", &[("DATABASE_URL_FILE", "url")]);
    assert!(place.path("b.db").exists() && !place.path("c.db").exists());
}

#[test]
fn a_file_of_a_secret_that_cannot_be_used_stops_the_start() {
    let place = Place::new();
    place.write("key", "sesame\n");
    place.write("empty", "\n");
    place.write("two", "two words\n");
    place.write("bytes", b"\xff");
    for variable in ["DATABASE_URL", "OTEL_EXPORTER_OTLP_HEADERS"] {
        let by_file = format!("{variable}_FILE");
        for (file, why) in [
            ("gone", "gone: No such file"),
            ("empty", "empty: is empty"),
            ("bytes", "bytes: "),
            (".", ".: "),
        ] {
            place.refuses("serve", &[(&by_file, file)], &format!("{by_file}: {why}"));
        }
        let both = [(&*by_file, "key"), (variable, "x")];
        let why = format!("{by_file}: {variable} is set as well");
        place.refuses("serve", &both, &why);
    }
    let two = [("POSTHASTE_LLM_API_KEY_FILE", "two")];
    place.refuses("serve", &two, "POSTHASTE_LLM_API_KEY: must be one word");
    // Only variables of the command are read.
    place.says_with("migrate", &[("POSTHASTE_LLM_API_KEY_FILE", "gone")]);
}
