//! Completions, manual pages, and the check of a service that runs.

use std::{
    fs,
    io::{Read as _, Write as _},
    net::TcpListener,
    thread,
};

use tempfile::tempdir;

use crate::{run, text};

#[test]
fn completions_and_pages_know_every_command() {
    let folder = tempdir().unwrap();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let output = run(&folder, &["completions", shell], &[]);
        assert!(output.status.success(), "{shell}");
        let script = text(&output.stdout);
        for word in ["suppressions", "posting-lifetime-days"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    let output = run(&folder, &["man", "share/man1"], &[]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let pages = folder.path().join("share/man1");
    let page = fs::read_to_string(pages.join("posthaste-serve.1")).unwrap();
    assert!(page.contains("POSTHASTE_BIND"), "{page}");
    for name in [
        "posthaste",
        "posthaste-clients-create",
        "posthaste-subscribers-suppressions-export",
    ] {
        assert!(pages.join(format!("{name}.1")).is_file(), "{name}");
    }
}

#[test]
fn a_service_is_ready_only_with_200() {
    let folder = tempdir().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let bind = listener.local_addr().unwrap().to_string();
    let service = thread::spawn(move || {
        for status in ["200 OK", "503 Service Unavailable", "302 Found"] {
            let (mut stream, _) = listener.accept().unwrap();
            let mut head = [0; 1024];
            let length = stream.read(&mut head).unwrap();
            assert!(head[..length].starts_with(b"GET /readyz HTTP/1.1\r\n"));
            let answer = format!(
                "HTTP/1.1 {status}\r\nContent-Length: 6\r\nLocation: /\r\nConnection: close\r\n\r\nno key"
            );
            stream.write_all(answer.as_bytes()).unwrap();
        }
    });
    let everywhere = bind.replace("127.0.0.1", "0.0.0.0");
    let checked = |bind: &str| run(&folder, &["healthcheck"], &[("POSTHASTE_BIND", bind)]);
    assert_eq!(checked(&everywhere).status.code(), Some(0));
    for _ in 0..2 {
        let output = checked(&bind);
        assert_eq!(output.status.code(), Some(1));
        let said = text(&output.stderr);
        assert!(
            said.contains("/readyz answers") && said.contains("no key"),
            "{said}"
        );
    }
    service.join().unwrap();
    let output = checked(&bind);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("does not answer"));
}

#[test]
fn a_supervisor_is_told_when_the_service_is_ready_alive_and_stopping() {
    let folder = tempdir().unwrap();
    let socket = folder.path().join("notify");
    let listener = std::os::unix::net::UnixDatagram::bind(&socket).unwrap();
    listener
        .set_read_timeout(Some(std::time::Duration::from_secs(30)))
        .unwrap();
    let next = || {
        let mut message = [0; 64];
        let length = listener.recv(&mut message).unwrap();
        text(&message[..length]).to_owned()
    };
    let mut child = crate::posthaste(folder.path(), &["serve", "--bind", "127.0.0.1:0"])
        .env("POSTHASTE_ADMIN_BIND", "off")
        .env("NOTIFY_SOCKET", &socket)
        .env("WATCHDOG_USEC", "100000")
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    assert_eq!(next(), "READY=1");
    assert_eq!([next(), next()], ["WATCHDOG=1", "WATCHDOG=1"]);
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    while next() != "STOPPING=1" {}
    assert!(child.wait().unwrap().success());
}
