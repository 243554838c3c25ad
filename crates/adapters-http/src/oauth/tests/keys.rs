use std::{fs, sync::mpsc, thread};

use super::*;

const WRITERS: &[Scope] = &[Scope::JobPostingsWrite];

#[actix_web::test]
async fn a_folder_that_hangs_stops_no_request() {
    let harness = Harness::new();
    let (id, token) = harness.token(WRITERS).await;
    // Opening the pipe blocks until a process writes.
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

    // When the folder can be read again, its keys are read.
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
