//! How processes follow changes of the key folder.

use std::{fs, sync::mpsc, thread};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};

use super::*;

const WRITERS: &[Scope] = &[Scope::JobPostingsWrite];

#[actix_web::test]
async fn a_new_key_verifies_at_once_and_signs_after_30_seconds_in_every_process() {
    let harness = Harness::new();
    let [old, new] = [key_id(at(0), 0), key_id(at(1000), 0)];
    let signer = |token: &str| {
        let header = URL_SAFE_NO_PAD.decode(token.split('.').next().unwrap());
        let header: Value = serde_json::from_slice(&header.unwrap()).unwrap();
        header["kid"].as_str().unwrap().parse().ok()
    };
    let elsewhere = harness.other_process();
    harness.set_clock(1000);
    harness.folder.generate(new).unwrap();
    harness.authorizer.keys().reload();
    elsewhere.keys().reload();
    for (seconds, expected) in [(1000, old), (1029, old), (1030, new)] {
        harness.set_clock(seconds);
        let (id, token) = harness.token(WRITERS).await;
        assert_eq!(signer(&token), Some(expected), "at {seconds} s");
        let outcome = authorize_in(&elsewhere, &bearer(&token), WRITERS).await;
        assert_eq!(outcome, Ok(id), "at {seconds} s");
    }
}

#[actix_web::test]
async fn a_request_reads_nothing_of_the_folder() {
    let harness = Harness::new();
    let [old, new] = [key_id(at(0), 0), key_id(at(0), 1)];
    let elsewhere = harness.other_process();
    let (id, token) = harness.token(WRITERS).await;
    harness.folder.retire(old).unwrap();
    harness.folder.generate(new).unwrap();
    harness.authorizer.keys().reload();
    let (new_id, new_token) = harness.token(WRITERS).await;
    let outcomes = async || {
        let mut outcomes = Vec::new();
        for token in [&token, &new_token] {
            outcomes.push(authorize_in(&elsewhere, &bearer(token), WRITERS).await);
        }
        outcomes
    };
    let unknown = Err(AuthError::Invalid(TokenFault::UnknownKey));
    for seconds in [0, 60] {
        harness.set_clock(seconds);
        assert_eq!(outcomes().await, [Ok(id), unknown.clone()]);
    }
    elsewhere.keys().reload();
    assert_eq!(outcomes().await, [unknown, Ok(new_id)]);
}

#[actix_web::test]
async fn a_folder_that_hangs_stops_no_request() {
    let harness = Harness::new();
    let (id, token) = harness.token(WRITERS).await;
    // Opening it blocks until somebody writes.
    let pipe = harness.folder.path().with_extension("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let (folder, hanging) = (harness.folder.clone(), pipe.clone());
    let (begins, began) = mpsc::channel();
    let ring = KeyRing::new(folder.list().unwrap(), move |known| {
        begins.send(()).unwrap();
        fs::read(&hanging).unwrap();
        folder.load(known)
    });
    let process = harness.process_with(ring);
    process.keys().follow().unwrap();
    began.recv().unwrap();
    let new = key_id(at(0), 1);
    harness.folder.generate(new).unwrap();
    assert_eq!(
        authorize_in(&process, &bearer(&token), WRITERS).await,
        Ok(id)
    );
    assert_eq!(process.signing_keys(), 1);
    let age = process.keys().age();

    // When it answers again, its keys are read.
    while process.keys().age() >= age {
        drop(fs::File::create(&pipe).unwrap());
        thread::sleep(StdDuration::from_millis(10));
    }
    assert_eq!(process.signing_keys(), 2);
}

#[actix_web::test]
async fn what_was_known_stays_when_the_folder_vanishes_and_a_replaced_key_verifies_nothing() {
    let harness = Harness::new();
    let (id, token) = harness.token(WRITERS).await;
    let authorize = async || harness.authorize(&bearer(&token), WRITERS).await;
    let (path, away) = (
        harness.folder.path(),
        harness.folder.path().with_extension("away"),
    );
    fs::rename(path, &away).unwrap();
    harness.authorizer.keys().reload();
    assert_eq!(authorize().await, Ok(id));
    harness.token(WRITERS).await;

    fs::rename(&away, path).unwrap();
    harness.folder.retire(key_id(at(0), 0)).unwrap();
    harness.folder.generate(key_id(at(0), 0)).unwrap();
    harness.authorizer.keys().reload();
    let refused = Err(AuthError::Invalid(TokenFault::Signature));
    assert_eq!(authorize().await, refused);
}
