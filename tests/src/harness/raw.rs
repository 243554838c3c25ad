use std::{
    io::{self, Read, Write},
    net::TcpStream,
    time::Duration,
};

pub struct Raw {
    stream: TcpStream,
}

impl Raw {
    pub fn connect(host: &str) -> io::Result<Self> {
        let stream = TcpStream::connect(host)?;
        stream.set_read_timeout(Some(Duration::from_mins(5)))?;
        stream.set_nodelay(true)?;
        Ok(Self { stream })
    }

    /// Sends bytes. A server that has already answered may leave them unread.
    pub fn send(&mut self, bytes: impl AsRef<[u8]>) {
        let _ = self.stream.write_all(bytes.as_ref());
    }

    /// Waits until the server has read the head and asks for the body (RFC 9110 §10.1.1).
    pub fn is_asked_for_its_body(&mut self) {
        const INTERIM: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";
        let mut read = [0; INTERIM.len()];
        self.stream.read_exact(&mut read).unwrap();
        assert_eq!(read, INTERIM);
    }

    /// Returns the status. The request must have asked the server to close the connection.
    pub fn answer(mut self) -> Option<u16> {
        let mut bytes = Vec::new();
        // A server that answers without reading the whole request may reset the connection.
        let _ = self.stream.read_to_end(&mut bytes);
        let text = String::from_utf8_lossy(&bytes);
        text.split(' ').nth(1)?.parse().ok()
    }
}

pub fn request(method: &str, target: &str, headers: &[(&str, &str)]) -> String {
    let mut text =
        format!("{method} {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n");
    for (name, value) in headers {
        text.extend([name, ": ", value, "\r\n"]);
    }
    text + "\r\n"
}
