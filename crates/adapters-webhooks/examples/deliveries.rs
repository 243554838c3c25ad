//! Prints how many deliveries a second this machine makes to a receiver in the same process, which
//! takes about half of the machine's work.

#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "an example, which ends with its first fault and reports on the terminal"
)]

use std::time::Instant;

use adapters_webhooks::{Settings, WebhookClient};
use futures_util::{StreamExt as _, stream};
use time::macros::datetime;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
};
use webhooks::{Delivery, EndpointUrl, PrivateAddresses, Secret, Sender as _};

const DELIVERIES: u32 = 40_000;
const CONCURRENT: usize = 32;

#[tokio::main]
async fn main() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}/", listener.local_addr().expect("a port"));
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(receive(stream));
        }
    });
    let client = WebhookClient::new(&Settings {
        private: PrivateAddresses::Allow,
        ..Settings::default()
    });
    let client = client.expect("a client");
    let url = EndpointUrl::from_store(&url).expect("a URL");
    let secrets = [Secret::new([7; 32]).expect("32 bytes")];
    let body = vec![b'x'; 500];
    let delivery = Delivery {
        url: &url,
        id: "0198f0c6-7c1e-7000-8000-000000000000",
        timestamp: datetime!(2026-11-22 12:00 UTC),
        secrets: &secrets,
        body: &body,
        trace: None,
    };
    let start = Instant::now();
    let delivered = stream::iter(0..DELIVERIES)
        .map(|_| client.send(&delivery))
        .buffer_unordered(CONCURRENT)
        .filter(|attempt| std::future::ready(attempt.outcome.is_delivered()))
        .count()
        .await;
    let seconds = start.elapsed().as_secs_f64();
    let rate = f64::from(DELIVERIES) / seconds;
    println!("{delivered} of {DELIVERIES} delivered in {seconds:.1} s: {rate:.0} a second");
}

/// Answers each request, which is known by its last byte.
async fn receive(mut stream: TcpStream) -> std::io::Result<()> {
    let mut buffer = [0; 4096];
    loop {
        let mut received = 0;
        while received == 0 || !buffer[..received].ends_with(b"xxxx") {
            match stream.read(&mut buffer[received..]).await? {
                0 => return Ok(()),
                bytes => received += bytes,
            }
        }
        stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").await?;
    }
}
