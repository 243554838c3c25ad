//! The `.env` file, and the files of secrets.

use std::{
    fs::{self, Permissions},
    os::unix::fs::{PermissionsExt as _, chown, symlink},
    path::Path,
};

use tempfile::{TempDir, tempdir};

use super::{check_refused, run, text};

/// Writes a `.env` file that only its owner may write.
fn dotenv(folder: &Path, content: &str) {
    let path = folder.join(".env");
    fs::write(&path, content).unwrap();
    set_mode(&path, 0o600);
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

/// Whether `migrate` made its database in this folder.
fn migrates_to(folder: &TempDir, data: &str, variables: &[(&str, &str)]) -> bool {
    let output = run(folder, &["migrate"], variables);
    assert!(output.status.success(), "{}", text(&output.stderr));
    folder.path().join(data).join("posthaste.db").exists()
}

#[test]
fn a_dotenv_file_is_read_and_gives_way_to_variables() {
    let folder = tempdir().unwrap();
    dotenv(folder.path(), "# ours\nPOSTHASTE_DATA_DIR=from-file\n");
    assert!(migrates_to(&folder, "from-file", &[]));
    assert!(migrates_to(
        &folder,
        "mine",
        &[("POSTHASTE_DATA_DIR", "mine")]
    ));
}

#[test]
fn a_log_line_says_that_the_dotenv_file_was_read() {
    let folder = tempdir().unwrap();
    dotenv(
        folder.path(),
        "POSTHASTE_LOG=info\nHTTPS_PROXY=http://x\nUSER=eve\nDATABASE_URL=sqlite://a.db\n",
    );
    let output = run(&folder, &["migrate"], &[]);
    let said = text(&output.stderr);
    assert!(said.contains("the .env file was read"), "{said}");
    assert!(said.contains("POSTHASTE_LOG,DATABASE_URL"), "{said}");
    assert!(said.contains("ignored=2"), "{said}");
    let none = tempdir().unwrap();
    let output = run(&none, &["migrate"], &[("POSTHASTE_LOG", "info")]);
    assert!(!text(&output.stderr).contains(".env"));
}

#[test]
fn only_variables_of_the_program_are_taken_from_a_dotenv_file() {
    let folder = tempdir().unwrap();
    dotenv(
        folder.path(),
        "USER=eve\nHOME=/nowhere\nNAME=file\nPOSTHASTE_DATA_DIR=$NAME\n",
    );
    assert!(migrates_to(&folder, "file", &[]), "others are substituted");
    dotenv(
        folder.path(),
        "NO_COLOR=1\nNOTIFY_SOCKET=/x\nRUST_LOG=a=b=c\n",
    );
    check_refused(&folder, &[], &["migrate"], "RUST_LOG: ");
}

#[test]
fn a_dotenv_file_that_others_may_write_stops_the_start() {
    let folder = tempdir().unwrap();
    let path = folder.path().join(".env");
    for mode in [0o620, 0o602, 0o666] {
        dotenv(folder.path(), "POSTHASTE_DATA_DIR=evil\n");
        set_mode(&path, mode);
        check_refused(&folder, &[], &["migrate"], ".env: others may write it");
    }
    set_mode(&path, 0o600);
    set_mode(folder.path(), 0o777);
    check_refused(&folder, &[], &["migrate"], ".env: everybody may replace it");
    set_mode(folder.path(), 0o1777);
    assert!(migrates_to(&folder, "evil", &[]));
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    check_refused(&folder, &[], &["migrate"], ".env: is not a file");
}

/// Only root can give files to somebody else; the rule itself is tested beside it.
#[test]
fn a_dotenv_file_or_link_of_somebody_else_stops_the_start() {
    let folder = tempdir().unwrap();
    let (path, real) = (folder.path().join(".env"), folder.path().join("real"));
    dotenv(folder.path(), "POSTHASTE_DATA_DIR=evil\n");
    fs::rename(&path, &real).unwrap();
    symlink(&real, &path).unwrap();
    assert!(migrates_to(&folder, "evil", &[]), "a link of one's own");
    if chown(&real, Some(65534), None).is_err() {
        return;
    }
    let begin = ".env: belongs to user 65534, who is neither you nor root";
    check_refused(&folder, &[], &["migrate"], begin);
    chown(&real, Some(0), None).unwrap();
    std::os::unix::fs::lchown(&path, Some(65534), None).unwrap();
    check_refused(&folder, &[], &["migrate"], begin);
}

#[test]
fn a_bad_dotenv_file_stops_the_start_without_showing_its_values() {
    let folder = tempdir().unwrap();
    for content in [
        "A=1\nPOSTHASTE_CLIENT_SECRET=top secret 'x\n",
        "A=1\nPOSTHASTE_CLIENT_SECRET=top secret\n",
    ] {
        dotenv(folder.path(), content);
        let begin = ".env: line 2 (POSTHASTE_CLIENT_SECRET) is not NAME=value";
        check_refused(&folder, &[], &["migrate"], begin);
        let output = run(&folder, &["migrate"], &[]);
        assert!(!text(&output.stderr).contains("top"), "{content}");
    }
}

#[test]
fn a_secret_is_taken_from_a_file() {
    let folder = tempdir().unwrap();
    let file = folder.path().join("url");
    fs::write(&file, "sqlite://by-file.db\n").unwrap();
    let variable = [("DATABASE_URL_FILE", "url")];
    let output = run(&folder, &["migrate"], &variable);
    assert_eq!(text(&output.stderr), "");
    assert!(folder.path().join("by-file.db").exists());
    dotenv(folder.path(), "DATABASE_URL_FILE=url\n");
    fs::write(&file, "sqlite://by-dotenv.db").unwrap();
    assert!(run(&folder, &["migrate"], &[]).status.success());
    assert!(folder.path().join("by-dotenv.db").exists());
}

#[test]
fn a_file_of_a_secret_that_cannot_be_used_stops_the_start() {
    let folder = tempdir().unwrap();
    fs::write(folder.path().join("key"), "sesame\n").unwrap();
    fs::write(folder.path().join("empty"), "\n").unwrap();
    fs::write(folder.path().join("two"), "two words\n").unwrap();
    fs::write(folder.path().join("bytes"), b"\xff").unwrap();
    for variable in [
        "DATABASE_URL",
        "POSTHASTE_READ_DATABASE_URL",
        "POSTHASTE_LLM_API_KEY",
        "POSTHASTE_MAILERLITE_OLD_API_KEY",
        "POSTHASTE_MAILERLITE_NEW_API_KEY",
        "POSTHASTE_MAILERLITE_WEBHOOK_SECRET",
        "POSTHASTE_CONSOLE_PROXY_SECRET",
        "OTEL_EXPORTER_OTLP_HEADERS",
        "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
    ] {
        let by_file = format!("{variable}_FILE");
        for (file, why) in [
            ("gone", "gone: No such file"),
            ("empty", "empty: is empty"),
            ("bytes", "bytes: "),
            (".", ".: "),
        ] {
            let begin = format!("{by_file}: {why}");
            check_refused(&folder, &[(&by_file, file)], &["serve"], &begin);
        }
        let both = [(&*by_file, "key"), (variable, "x")];
        let begin = format!("{by_file}: {variable} is set as well");
        check_refused(&folder, &both, &["serve"], &begin);
    }
    let two = [("POSTHASTE_LLM_API_KEY_FILE", "two")];
    let begin = "POSTHASTE_LLM_API_KEY: must be one word";
    check_refused(&folder, &two, &["serve"], begin);
    // What the command does not take is not read.
    let gone = [("POSTHASTE_LLM_API_KEY_FILE", "gone")];
    assert!(run(&folder, &["migrate"], &gone).status.success());
}
