use super::*;

const NO_CONTENT: &str = "HTTP/1.1 204 No Content\r\n\r\n";

fn header<'a>(request: &'a str, name: &str) -> Vec<&'a str> {
    let lines = request.lines().filter_map(|line| line.split_once(": "));
    let mut values = Vec::new();
    for (key, value) in lines {
        if key.eq_ignore_ascii_case(name) {
            values.push(value);
        }
    }
    values
}

#[tokio::test]
async fn a_request_is_signed_as_in_the_example_of_the_specification() {
    let receiver = Receiver::new(NO_CONTENT, Then::Stays).await;
    let attempt = send(&local(), &receiver.url).await;
    assert_eq!(attempt.outcome, Outcome::Delivered(204));
    let requests = receiver.requests();
    let [request] = &requests[..] else {
        panic!("{requests:#?}");
    };
    assert!(
        request.starts_with("POST /hooks?a=b HTTP/1.1\r\n"),
        "{request}"
    );
    assert!(
        request.ends_with("\r\n\r\n{\"test\": 2432232314}"),
        "{request}"
    );
    let agent = concat!("posthaste/", env!("CARGO_PKG_VERSION"));
    let host = receiver.url.url().authority();
    for (name, expect) in [
        ("webhook-id", ID),
        ("webhook-timestamp", "1614265330"),
        (
            "webhook-signature",
            "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
        ),
        ("content-type", "application/json"),
        ("content-length", "20"),
        ("user-agent", agent),
        ("host", host),
    ] {
        assert_eq!(header(request, name), [expect], "{name}");
    }
}

#[tokio::test]
async fn two_secrets_sign_while_one_replaces_the_other() {
    let receiver = Receiver::new(NO_CONTENT, Then::Stays).await;
    let secrets = [
        Secret::new([7; 32]).unwrap(),
        Secret::parse(SECRET).unwrap(),
    ];
    let delivery = Delivery {
        url: &receiver.url,
        id: ID,
        timestamp: datetime!(2021-02-25 15:02:10 UTC),
        secrets: &secrets,
        body: BODY,
        trace: None,
    };
    assert!(local().send(&delivery).await.outcome.is_delivered());
    let expect = "v1,YO/ulmd+VFtlnbodv7yLOOsS6RlBZ48h++gXZrGOpZo= \
                  v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
    assert_eq!(
        header(&receiver.requests()[0], "webhook-signature"),
        [expect]
    );
}

#[tokio::test]
async fn nothing_is_sent_without_a_signature_or_with_an_id_that_is_no_header() {
    let receiver = Receiver::new(NO_CONTENT, Then::Stays).await;
    let secrets = [Secret::parse(SECRET).unwrap()];
    let mut delivery = Delivery {
        url: &receiver.url,
        id: "a\r\nb: c",
        timestamp: datetime!(2021-02-25 15:02:10 UTC),
        secrets: &secrets,
        body: BODY,
        trace: None,
    };
    let bad_id = local().send(&delivery).await;
    assert_eq!(reason(&bad_id), Some(NoAnswer::Unsendable));
    (delivery.id, delivery.secrets) = (ID, &[]);
    let unsigned = local().send(&delivery).await;
    assert_eq!(reason(&unsigned), Some(NoAnswer::Unsendable));
    assert_eq!(receiver.connections(), 0);
}

#[tokio::test]
async fn a_connection_is_used_again() {
    let answer = "HTTP/1.1 500 No\r\nContent-Length: 4\r\n\r\noops";
    let receiver = Receiver::new(answer, Then::Stays).await;
    let client = local();
    for _ in 0..3 {
        send(&client, &receiver.url).await;
    }
    assert_eq!((receiver.requests().len(), receiver.connections()), (3, 1));
}
