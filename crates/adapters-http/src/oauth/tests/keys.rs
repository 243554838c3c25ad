//! How processes follow changes of the key folder.

use std::{fs, sync::mpsc, thread};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};

use super::*;

#[actix_web::test]
async fn a_new_key_verifies_at_once_and_signs_after_30_seconds_in_every_process() {
    let harness = Harness::new();
    let [old, new] = [key_id(at(0), 0), key_id(at(1000), 0)];
    let signer = |token: &str| {
        harness
            .folder
            .list()
            .unwrap()
            .keys()
            .iter()
            .find(|key| {
                let (signed, signature) = token.rsplit_once('.').unwrap();
                key.verifies(
                    signed.as_bytes(),
                    &URL_SAFE_NO_PAD.decode(signature).unwrap(),
                )
            })
            .map(|key| key.id())
    };
    let elsewhere = harness.other_process();
    harness.set_clock(1000);
    harness.folder.generate(new).unwrap();
    harness.authorizer.keys().reload();
    elsewhere.keys().reload();
    for (seconds, expected) in [(1000, old), (1029, old), (1030, new)] {
        harness.set_clock(seconds);
        let (id, token) = harness.token(&[Scope::JobPostingsWrite]).await;
        assert_eq!(signer(&token), Some(expected), "at {seconds} s");
        let outcome = authorize_in(&elsewhere, &bearer(&token), &[Scope::JobPostingsWrite]).await;
        assert_eq!(outcome, Ok(id), "at {seconds} s");
    }
}

#[actix_web::test]
async fn a_request_reads_nothing_of_the_folder() {
    let harness = Harness::new();
    let [old, new] = [key_id(at(0), 0), key_id(at(0), 1)];
    let elsewhere = harness.other_process();
    let (id, token) = harness.token(&[Scope::JobPostingsWrite]).await;
    harness.folder.retire(old).unwrap();
    harness.folder.generate(new).unwrap();
    harness.authorizer.keys().reload();
    let (new_id, new_token) = harness.token(&[Scope::JobPostingsWrite]).await;
    let outcomes = async || {
        let mut outcomes = Vec::new();
        for token in [&token, &new_token] {
            let scopes = &[Scope::JobPostingsWrite];
            outcomes.push(authorize_in(&elsewhere, &bearer(token), scopes).await);
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
    let (id, token) = harness.token(&[Scope::JobPostingsWrite]).await;
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
    let process = authorizer_with(ring, &harness.clients, &harness.uses, harness.clock());
    process.keys().follow().unwrap();
    began.recv().unwrap();
    let new = key_id(at(0), 1);
    harness.folder.generate(new).unwrap();
    let scopes = &[Scope::JobPostingsWrite];
    assert_eq!(
        authorize_in(&process, &bearer(&token), scopes).await,
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
async fn a_key_that_is_replaced_under_its_id_verifies_no_old_token() {
    let harness = Harness::new();
    let (_, token) = harness.token(&[Scope::JobPostingsWrite]).await;
    harness.folder.retire(key_id(at(0), 0)).unwrap();
    harness.folder.generate(key_id(at(0), 0)).unwrap();
    harness.authorizer.keys().reload();
    let outcome = harness
        .authorize(&bearer(&token), &[Scope::JobPostingsWrite])
        .await;
    assert_eq!(outcome, Err(AuthError::Invalid(TokenFault::Signature)));
}

#[actix_web::test]
async fn what_was_known_stays_when_the_folder_vanishes() {
    let harness = Harness::new();
    let (id, token) = harness.token(&[Scope::JobPostingsWrite]).await;
    fs::rename(
        harness.folder.path(),
        harness.folder.path().with_extension("away"),
    )
    .unwrap();
    harness.authorizer.keys().reload();
    let outcome = harness
        .authorize(&bearer(&token), &[Scope::JobPostingsWrite])
        .await;
    assert_eq!(outcome, Ok(id));
    harness.token(&[Scope::JobPostingsWrite]).await;
}
