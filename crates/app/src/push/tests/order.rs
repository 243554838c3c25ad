//! Lines of one identifier stay in order; lines of different identifiers do not wait.

use std::{
    collections::HashMap,
    sync::Mutex,
    time::{Duration, Instant},
};

use wiremock::Respond;

use super::*;

const WORK: Duration = Duration::from_millis(60);

/// Answers slowly, and records identifier, line and time of each request.
#[derive(Default)]
struct Slow(Arc<Mutex<Vec<(String, u64, Instant)>>>);

impl Respond for Slow {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        let id = request.url.path().rsplit('/').next().unwrap().to_owned();
        self.0
            .lock()
            .unwrap()
            .push((id, n(request), Instant::now()));
        answer(200).set_delay(WORK)
    }
}

#[tokio::test]
async fn lines_of_one_identifier_are_sent_one_after_the_other() {
    let server = service().await;
    let slow = Slow::default();
    let seen = Arc::clone(&slow.0);
    put().respond_with(slow).mount(&server).await;
    let input = lines(&[
        ("a", 0),
        ("a", 1),
        ("b", 0),
        ("a", 2),
        ("c", 0),
        ("b", 1),
        ("d", 0),
        ("a", 3),
        ("c", 1),
    ]);
    let (end, settled) = push(&server.uri(), &input, 8).await;
    assert_eq!(end.unwrap(), End::Complete);
    assert_eq!(settled.len(), 9);

    let seen: Vec<_> = seen.lock().unwrap().drain(..).collect();
    let place = |line: (&str, u64)| seen.iter().position(|(id, n, _)| (id.as_str(), *n) == line);
    assert!(
        place(("d", 0)) < place(("a", 3)),
        "identifiers do not wait for each other"
    );
    let mut by_id: HashMap<String, Vec<(u64, Instant)>> = HashMap::new();
    for (id, n, at) in seen {
        by_id.entry(id).or_default().push((n, at));
    }
    for (id, times) in by_id {
        for (position, pair) in times.windows(2).enumerate() {
            let [(n, at), (next, next_at)] = pair else {
                unreachable!()
            };
            assert_eq!((*n, *next), (position as u64, position as u64 + 1), "{id}");
            assert!(
                *next_at - *at >= WORK,
                "{id}: {n} and {next} were under way at once"
            );
        }
    }
}

#[tokio::test]
async fn a_line_that_is_retried_is_not_overtaken_by_the_next_of_its_identifier() {
    let server = service().await;
    put()
        .respond_with(answer(503))
        .up_to_n_times(2)
        .mount(&server)
        .await;
    put().respond_with(answer(200)).mount(&server).await;
    let (end, settled) = push(&server.uri(), &lines(&[("a", 0), ("a", 1)]), 8).await;
    assert_eq!(end.unwrap(), End::Complete);
    assert_eq!(
        settled,
        [(1, "updated".to_owned()), (2, "updated".to_owned())]
    );
    let order: Vec<_> = puts(&server).await.iter().map(n).collect();
    assert_eq!(order, [0, 0, 0, 1]);
}

#[tokio::test]
async fn more_lines_of_one_identifier_than_may_wait_are_still_in_order() {
    let server = service().await;
    put().respond_with(answer(200)).mount(&server).await;
    let all: Vec<_> = (0..600).map(|n| ("a", n)).chain([("b", 0)]).collect();
    let (end, settled) = push(&server.uri(), &lines(&all), 4).await;
    assert_eq!(end.unwrap(), End::Complete);
    assert_eq!(settled.len(), 601);
    let of_a = puts(&server).await;
    let of_a = of_a
        .iter()
        .filter(|request| request.url.path().ends_with("/a"));
    assert!(of_a.map(n).eq(0..600));
}

#[tokio::test]
async fn no_more_requests_are_under_way_than_asked_for() {
    let server = service().await;
    let slow = Slow::default();
    let seen = Arc::clone(&slow.0);
    put().respond_with(slow).mount(&server).await;
    let input = lines(&[("a", 0), ("b", 0), ("c", 0), ("d", 0), ("e", 0), ("f", 0)]);
    push(&server.uri(), &input, 2).await.0.unwrap();
    let times: Vec<_> = seen.lock().unwrap().iter().map(|(_, _, at)| *at).collect();
    for (third, first) in times.iter().skip(2).zip(&times) {
        assert!(*third - *first >= WORK);
    }
}
