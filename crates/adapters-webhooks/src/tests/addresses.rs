use std::{
    io::ErrorKind,
    net::{Ipv4Addr, TcpListener as StdListener},
};

use webhooks::{AddressProblem, InvalidEndpointUrl};

use super::*;

/// URLs that lead to the port `{}` on loopback or a private address, if some code misreads them.
const PRIVATE: &[&str] = &[
    "https://127.0.0.1:{}/",
    "https://0x7f.1:{}/",
    "https://%31%32%37.0.0.1:{}/",
    "https://①②⑦.⓪.⓪.①:{}/",
    "https://127.0.0.1%00:{}/",
    // Connecting to the unspecified address leads to loopback.
    "https://0:{}/",
    "https://[::]:{}/",
    "https://[::1]:{}/",
    "https://[::ffff:127.0.0.1]:{}/",
    "https://[64:ff9b::127.0.0.1]:{}/",
    "https://[::1%25lo]:{}/",
    "https://localhost:{}/",
    "https://localhost..:{}/",
    "https://169.254.169.254:{}/latest/meta-data/",
    // User information, fragments and slashes may hide the host.
    "https://acme.example@127.0.0.1:{}/",
    "https://acme.example:443@127.0.0.1:{}/",
    "https://acme.example%40127.0.0.1:{}/",
    "https://127.0.0.1:{}\\@acme.example/",
    "https://127.0.0.1:{}#@acme.example/",
    "https:\\\\127.0.0.1:{}/",
    "https:127.0.0.1:{}/",
    "https:///127.0.0.1:{}/",
    "https://127.0.0.1\t:{}/",
    "http://127.0.0.1:{}/",
    "ftp://127.0.0.1:{}/",
    // Public names that resolve to private addresses.
    "https://loopback.example:{}/",
    "https://mapped.example:{}/",
    "https://nat64.example:{}/",
    "https://six.example:{}/",
    "https://both.example:{}/",
];

fn private_addresses(name: &str) -> Vec<IpAddr> {
    let addresses: &[&str] = match name {
        "mapped.example" => &["::ffff:127.0.0.1"],
        "nat64.example" => &["64:ff9b::7f00:1"],
        "six.example" => &["::1"],
        "both.example" => &["192.0.1.1", "127.0.0.1"],
        _ => &["127.0.0.1"],
    };
    addresses.iter().map(|text| text.parse().unwrap()).collect()
}

fn with_private_names(private: PrivateAddresses) -> WebhookClient {
    with_names(private, PATIENT, |name, _| Ok(private_addresses(name)))
}

/// A listener that shows whether a client has connected.
struct Trap(StdListener);

impl Trap {
    fn new() -> Self {
        let listener = StdListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        Self(listener)
    }

    fn port(&self) -> String {
        self.0.local_addr().unwrap().port().to_string()
    }

    /// Whether a client has connected. On loopback, the listener knows before the client.
    fn has_caught(&self) -> bool {
        match self.0.accept() {
            Ok(_) => true,
            Err(error) if error.kind() == ErrorKind::WouldBlock => false,
            Err(error) => panic!("{error}"),
        }
    }
}

#[tokio::test]
async fn no_spelling_of_a_private_address_gets_a_connection() {
    let trap = Trap::new();
    let guarded = with_private_names(PrivateAddresses::Refuse);
    assert_eq!(guarded.https_problem(), None, "HTTPS can be tested");
    for template in PRIVATE {
        let text = template.replace("{}", &trap.port());
        // The URL is registered under these settings, or was stored when private addresses were
        // allowed.
        for registered_with in [PrivateAddresses::Refuse, PrivateAddresses::Allow] {
            let Ok(url) = EndpointUrl::parse(&text, registered_with) else {
                continue;
            };
            assert!(guarded.check(&url).await.is_err(), "{text}");
            let attempt = send(&guarded, &url).await;
            let expect = Some(NoAnswer::AddressRefused);
            assert_eq!(reason(&attempt), expect, "{text}: {attempt:?}");
        }
        assert!(!trap.has_caught(), "{text}");
    }
}

#[tokio::test]
async fn the_same_urls_get_a_connection_when_private_addresses_are_allowed() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let careless = with_private_names(PrivateAddresses::Allow);
    for host in ["127.0.0.1", "0x7f.1", "loopback.example"] {
        let url = stored(&format!("https://{host}:{port}/"));
        assert_eq!(careless.check(&url).await, Ok(()));
        let hang_up = async { drop(listener.accept().await.unwrap()) };
        let (attempt, ()) = tokio::join!(send(&careless, &url), hang_up);
        assert_eq!(reason(&attempt), Some(NoAnswer::Connection), "{host}");
    }
}

#[tokio::test]
async fn each_connection_checks_the_name_again() {
    let trap = Trap::new();
    let rebinding = with_names(PrivateAddresses::Refuse, PATIENT, |_, call| {
        let first = IpAddr::from([192, 0, 1, 1]);
        Ok(vec![if call == 0 {
            first
        } else {
            Ipv4Addr::LOCALHOST.into()
        }])
    });
    let url = stored(&format!("https://rebind.example:{}/", trap.port()));
    assert_eq!(rebinding.check(&url).await, Ok(()));
    let attempt = send(&rebinding, &url).await;
    assert_eq!(reason(&attempt), Some(NoAnswer::AddressRefused));
    let expect = "the address is refused: the name leads to no public address";
    assert_eq!(
        attempt.error.as_deref(),
        Some(expect),
        "without the address"
    );
    assert!(!trap.has_caught());
}

#[tokio::test]
async fn a_receiver_is_found_by_its_name() {
    let receiver = Receiver::new("HTTP/1.1 204 No\r\n\r\n", Then::Stays).await;
    let client = with_private_names(PrivateAddresses::Allow);
    let port = receiver.url.url().port().unwrap();
    let url = stored(&format!("http://acme.example:{port}/"));
    assert!(send(&client, &url).await.outcome.is_delivered());
    assert!(receiver.requests()[0].contains(&format!("host: acme.example:{port}\r\n")));
}

fn with_unknown_names(private: PrivateAddresses) -> WebhookClient {
    let unknown = || io::Error::other("Name or service not known");
    with_names(private, PATIENT, move |_, _| Err(unknown()))
}

#[tokio::test]
async fn a_private_name_looks_like_an_unknown_one() {
    let url = stored("https://db.corp.example/");
    let nothing = with_names(PrivateAddresses::Refuse, PATIENT, |_, _| Ok(Vec::new()));
    let unknown = with_unknown_names(PrivateAddresses::Refuse);
    let mut answers = Vec::new();
    for client in [
        with_private_names(PrivateAddresses::Refuse),
        nothing,
        unknown,
    ] {
        let checked = client
            .check(&url)
            .await
            .map_err(|problem| problem.to_string());
        answers.push((checked, send(&client, &url).await.error));
    }
    let refused = InvalidEndpointUrl::Private.to_string();
    assert_eq!(answers[0].0, Err(refused));
    assert_eq!([&answers[1], &answers[2]], [&answers[0], &answers[0]]);
}

#[tokio::test]
async fn an_unknown_name_is_reported_if_private_addresses_are_allowed() {
    let (client, url) = (
        with_unknown_names(PrivateAddresses::Allow),
        stored("https://acme.example/"),
    );
    let problem = client.check(&url).await;
    assert_eq!(problem, Err(AddressProblem::Unresolved));
    let attempt = send(&client, &url).await;
    assert_eq!(reason(&attempt), Some(NoAnswer::Connection));
    let expect = "no connection: Name or service not known";
    assert_eq!(attempt.error.as_deref(), Some(expect));
}

#[tokio::test]
async fn name_servers_that_do_not_answer_are_not_waited_for() {
    struct Silent;
    #[async_trait]
    impl Lookup for Silent {
        async fn lookup(&self, _: &str) -> io::Result<Vec<IpAddr>> {
            std::future::pending().await
        }
    }
    let limits = Limits {
        resolution: Duration::from_millis(20),
        ..PATIENT
    };
    let client = WebhookClient::with_lookup(PrivateAddresses::Refuse, limits, Arc::new(Silent));
    let (client, url) = (client.unwrap(), stored("https://acme.example/"));
    assert_eq!(client.check(&url).await, Err(AddressProblem::Late));
    let attempt = send(&client, &url).await;
    assert_eq!(reason(&attempt), Some(NoAnswer::Timeout), "{attempt:?}");
}

#[tokio::test]
async fn the_system_looks_names_up() {
    let addresses = SystemLookup::new(1).lookup("localhost").await.unwrap();
    assert!(!addresses.is_empty() && addresses.iter().all(IpAddr::is_loopback));
}
