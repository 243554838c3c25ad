//! A raw HTTP client, for requests that a well-behaved client would not send.

use std::{
    io::{Read, Write},
    net::TcpStream,
    time::Duration,
};

use serde_json::Value;

/// A connection for one request.
pub struct Raw {
    stream: TcpStream,
}

/// The answer.
#[derive(Debug)]
pub struct RawAnswer {
    pub status: u16,
    pub body: String,
}

impl Raw {
    /// Connects.
    pub fn connect(host: &str) -> std::io::Result<Self> {
        let stream = TcpStream::connect(host)?;
        stream.set_read_timeout(Some(Duration::from_secs(30)))?;
        stream.set_nodelay(true)?;
        Ok(Self { stream })
    }

    /// Sends bytes. Ignores failures, as a server that has already answered need not read them.
    pub fn send(&mut self, bytes: impl AsRef<[u8]>) {
        let _ = self.stream.write_all(bytes.as_ref());
    }

    /// Waits until the server has read the head, and asks for the body (RFC 9110 §10.1.1).
    pub fn is_asked_for_its_body(&mut self) {
        const INTERIM: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";
        let mut read = [0; INTERIM.len()];
        self.stream.read_exact(&mut read).unwrap();
        assert_eq!(read, INTERIM);
    }

    /// Reads the answer; the request must have asked for the connection to be closed.
    pub fn answer(mut self) -> RawAnswer {
        let mut bytes = Vec::new();
        // A server that answers without reading the whole request may reset the connection.
        let end = self.stream.read_to_end(&mut bytes);
        let text = String::from_utf8_lossy(&bytes);
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            panic!("no answer: {text:?}, {end:?}");
        };
        let status = head
            .split(' ')
            .nth(1)
            .and_then(|status| status.parse().ok());
        RawAnswer {
            status: status.unwrap_or_else(|| panic!("no status: {text:?}")),
            body: body.to_owned(),
        }
    }
}

/// Sends a request unchanged and reads the answer.
pub fn exchange(host: &str, request: impl AsRef<[u8]>) -> RawAnswer {
    let connection = Raw::connect(host).unwrap();
    let mut sending = Raw {
        stream: connection.stream.try_clone().unwrap(),
    };
    let request = request.as_ref().to_vec();
    // In a thread, because the answer may arrive before the request is completely sent.
    let sender = std::thread::spawn(move || sending.send(request));
    let answer = connection.answer();
    sender.join().unwrap();
    answer
}

/// A request with `Connection: close`, further headers and a body.
pub fn request(method: &str, target: &str, headers: &[(&str, &str)], body: &str) -> String {
    let mut text =
        format!("{method} {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n");
    for (name, value) in headers {
        text.extend([name, ": ", value, "\r\n"]);
    }
    if !body.is_empty() {
        text.extend(["Content-Length: ", &body.len().to_string(), "\r\n"]);
    }
    text + "\r\n" + body
}

impl RawAnswer {
    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:#?}"))
    }
}
