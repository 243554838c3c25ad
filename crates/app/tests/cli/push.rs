//! `posthaste push`, stopped by a signal.

use std::{io::Read as _, net::TcpListener, process::Stdio};

use tempfile::tempdir;

use super::{posthaste, text};

#[test]
fn an_interrupted_push_says_that_it_is_safe_to_push_again() {
    let folder = tempdir().unwrap();
    std::fs::write(folder.path().join("in"), "{}").unwrap();
    // A service that never answers.
    let service = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", service.local_addr().unwrap());
    let arguments = ["push", "in", "--url", &url, "--client-id", "I"];
    let mut push = posthaste(folder.path(), &arguments)
        .env("POSTHASTE_CLIENT_SECRET", "S")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // From here on it listens to signals.
    let _connection = service.accept().unwrap();
    let pid = rustix::process::Pid::from_child(&push);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let mut said = Vec::new();
    push.stdout.take().unwrap().read_to_end(&mut said).unwrap();
    assert_eq!(push.wait().unwrap().code(), Some(130));
    assert!(text(&said).contains("To push the same again is safe."));
}
