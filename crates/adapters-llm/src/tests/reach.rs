use super::*;

#[tokio::test]
async fn an_endpoint_is_reachable_unless_it_refuses_the_key_or_fails() {
    for (status, expect) in [
        (200, Ok("it answers (200 OK)")),
        (403, Ok("it answers (403 Forbidden)")),
        (404, Ok("it answers (404 Not Found)")),
        (429, Ok("it answers (429 Too Many Requests)")),
        (401, Err("it refuses the key (401 Unauthorized)")),
        (
            308,
            Err("it answers (308 Permanent Redirect), and no redirect is followed"),
        ),
        (502, Err("it answers (502 Bad Gateway)")),
    ] {
        let (model, server) = answering(ResponseTemplate::new(status)).await;
        let reached = model.reach().await;
        let reached = reached.as_ref().map(String::as_str);
        assert_eq!(reached.map_err(String::as_str), expect);
        let request = only_request(&server).await;
        assert_eq!(request.method.as_str(), "GET");
        assert_eq!(request.url.path(), "/v1/models");
        assert_eq!(request.headers["authorization"], format!("Bearer {KEY}"));
    }
}

#[tokio::test]
async fn an_unreachable_endpoint_is_reported_without_its_address() {
    let model = model("http://127.0.0.1:1/v1?key=hidden");
    let why = model.reach().await.unwrap_err();
    assert!(why.starts_with("no answer: "), "{why}");
    assert!(!why.contains("hidden") && !why.contains(KEY), "{why}");
}
