//! A minimal HTTP client, to get a token and to measure single answers.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::Value;

const PATIENCE: Duration = Duration::from_secs(15);

/// A keep-alive connection.
pub struct Connection {
    stream: TcpStream,
    address: SocketAddr,
}

impl Connection {
    /// Connects.
    pub fn open(address: SocketAddr) -> Result<Self> {
        let stream = TcpStream::connect_timeout(&address, PATIENCE)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        Ok(Self { stream, address })
    }

    /// Sends a request and returns the status and body of its answer.
    pub fn exchange(&mut self, target: &str, headers: &str, body: &str) -> Result<(u16, String)> {
        let (status, _, body) = self.exchange_with_head(target, headers, body)?;
        Ok((status, body))
    }

    /// Sends a request and returns the status, head and body of its answer.
    pub fn exchange_with_head(
        &mut self,
        target: &str,
        headers: &str,
        body: &str,
    ) -> Result<(u16, String, String)> {
        let head = format!(
            "{target} HTTP/1.1\r\nHost: {}\r\nContent-Length: {}\r\n{headers}\r\n",
            self.address,
            body.len()
        );
        self.stream.write_all((head + body).as_bytes())?;
        let mut received = Vec::new();
        let mut buffer = vec![0; 1 << 16];
        loop {
            if let Some((status, body)) = parse(&received)? {
                let text = String::from_utf8_lossy(&received);
                let head = text.split("\r\n\r\n").next().unwrap_or_default();
                return Ok((status, head.to_owned(), body));
            }
            match self.stream.read(&mut buffer)? {
                0 => bail!("the connection was closed before the answer"),
                length => received.extend_from_slice(buffer.get(..length).unwrap_or_default()),
            }
        }
    }
}

/// Gets an access token for a client (RFC 6749 §4.4).
pub fn token(address: SocketAddr, client: &Value) -> Result<String> {
    let field = |name: &str| {
        let value = client.get(name).and_then(Value::as_str);
        value.with_context(|| format!("the client has no {name}"))
    };
    let form = format!(
        "grant_type=client_credentials&client_id={}&client_secret={}",
        field("client_id")?,
        field("client_secret")?
    );
    let headers = "Content-Type: application/x-www-form-urlencoded\r\n";
    let (status, body) =
        Connection::open(address)?.exchange("POST /oauth/token", headers, &form)?;
    if status != 200 {
        bail!("no token was given: {status} {body}");
    }
    let answer: Value = serde_json::from_str(&body)?;
    let token = answer.get("access_token").and_then(Value::as_str);
    Ok(token.context("the answer has no token")?.to_owned())
}

/// Parses an answer with `Content-Length`; `None` while it is incomplete.
pub fn parse(received: &[u8]) -> Result<Option<(u16, String)>> {
    let Some(end) = received.windows(4).position(|four| four == b"\r\n\r\n") else {
        return Ok(None);
    };
    let (head, body) = received.split_at(end + 4);
    let head = std::str::from_utf8(head)?;
    let status = head.split(' ').nth(1).context("no status")?.parse()?;
    let length = head
        .lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(name, _)| name.eq_ignore_ascii_case("content-length"))
        .map_or(Ok(0), |(_, value)| value.trim().parse())?;
    let body = body.get(..length).map(String::from_utf8_lossy);
    Ok(body.map(|body| (status, body.into_owned())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_complete_with_its_body() {
        let answer = b"HTTP/1.1 201 Created\r\ncontent-length: 2\r\nX: y\r\n\r\n{}";
        for length in 0..answer.len() {
            assert_eq!(parse(&answer[..length]).unwrap(), None, "{length}");
        }
        assert_eq!(parse(answer).unwrap(), Some((201, "{}".to_owned())));
    }
}
