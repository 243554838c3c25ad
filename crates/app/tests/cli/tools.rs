use std::{
    fs,
    io::{Read as _, Write as _},
    os::unix::net::UnixDatagram,
    process::Stdio,
    thread,
    time::Duration,
};

use rustix::process::Signal;

use super::{Place, signal, taken, text};

#[test]
fn completions_and_pages_know_every_command() {
    let place = Place::new();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = place.says(&format!("completions {shell}"));
        for word in ["suppressions", "posting-lifetime-days"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    place.says("man share/man1");
    let pages = place.path("share/man1");
    let page = fs::read_to_string(pages.join("posthaste-serve.1")).unwrap();
    assert!(page.contains("POSTHASTE_BIND"), "{page}");
    for name in ["posthaste", "posthaste-subscribers-suppressions-export"] {
        assert!(pages.join(format!("{name}.1")).is_file(), "{name}");
    }
}

#[test]
fn a_service_is_ready_only_with_200() {
    let place = Place::new();
    let (listener, bind) = taken();
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
    place.says_with("healthcheck", &[("POSTHASTE_BIND", &everywhere)]);
    for _ in 0..2 {
        let said = place.fails_with("healthcheck", &[("POSTHASTE_BIND", &bind)]);
        assert!(
            said.contains("/readyz answers") && said.contains("no key"),
            "{said}"
        );
    }
    service.join().unwrap();
    let said = place.fails_with("healthcheck", &[("POSTHASTE_BIND", &bind)]);
    assert!(said.contains("does not answer"), "{said}");
}

#[test]
fn a_supervisor_is_notified_when_the_service_is_ready_alive_and_stopping() {
    let place = Place::new();
    let listener = UnixDatagram::bind(place.path("notify")).unwrap();
    let patience = Some(Duration::from_secs(30));
    listener.set_read_timeout(patience).unwrap();
    let next = || {
        let mut message = [0; 64];
        let length = listener.recv(&mut message).unwrap();
        text(&message[..length]).trim_end().to_owned()
    };
    let mut child = place
        .command("serve --bind 127.0.0.1:0 --admin-bind off")
        .env("NOTIFY_SOCKET", place.path("notify"))
        .env("WATCHDOG_USEC", "100000")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    assert_eq!(next(), "READY=1");
    assert_eq!([next(), next()], ["WATCHDOG=1", "WATCHDOG=1"]);
    signal(&child, Signal::TERM);
    while next() != "STOPPING=1" {}
    assert!(child.wait().unwrap().success());
}
