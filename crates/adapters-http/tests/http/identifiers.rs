//! `uniqueSourceIdentifier` from the request line to the store and back. See also `refusals`.

use crate::support::{PATH, TestApp, posting, put, request};

#[tokio::test]
async fn awkward_ones_arrive_as_they_are() {
    let (app, token) = TestApp::with_writer().await;
    let crabs = ("%F0%9F%A6%80".repeat(255), "🦀".repeat(255));
    let mut connection = app.connect().await;
    for (segment, identifier) in [
        ("a%2Fb%3Fc", "a/b?c"),
        ("%23", "#"),
        ("%252F", "%2F"),
        ("a+b", "a+b"),
        ("..", ".."),
        ("%2E", "."),
        ("a;b=c&d,e:f@g", "a;b=c&d,e:f@g"),
        ("a?dry_run=false", "a"),
        (&crabs.0, &crabs.1),
    ] {
        let put = connection.exchange(&put(&token, segment, &posting())).await;
        assert_eq!(put.status, 201, "{segment}: {put:?}");
        let segment = segment.split('?').next().unwrap();
        let get = request("GET", &format!("{PATH}/{segment}")).token(&token);
        let data = connection.exchange(&get).await.json()["data"].clone();
        assert_eq!(data["unique_source_identifier"], identifier, "{segment}");
        assert_eq!(data["uuid"], put.json()["data"]["uuid"], "{segment}");
    }
}
