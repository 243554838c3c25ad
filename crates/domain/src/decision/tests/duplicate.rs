//! Tests the time at which a posting got the content by which duplicates are found.

use time::Duration;

use super::*;

#[test]
fn a_push_of_other_content_is_noted() {
    for (body, is_noted) in [
        (r#"{"title": "Other"}"#, true),
        (r#"{"raw_description": "Other."}"#, true),
        (r#"{"location_city": "Oslo"}"#, true),
        (r#"{"location_country_code": "NO"}"#, true),
        (
            r#"{"company": {"name": "B", "website_url": "https://b.example"}}"#,
            true,
        ),
        (r#"{"company": {"name": "B"}, "salary_min": 1}"#, false),
        (r#"{"expiration": {}}"#, false),
    ] {
        // The second clock is behind, but no content is older than its predecessor.
        for behind in [0, 9] {
            let mut board = Board::with(Status::PendingEnrichment);
            assert_eq!(board.posting().content_at, None);
            let earliest = board.posting().created_at + Duration::MICROSECOND;
            board.now -= hours(behind);
            board.put(body).unwrap();
            let expect = is_noted.then_some(board.now.max(earliest));
            assert_eq!(board.posting().content_at, expect, "{body}");
        }
    }
}

#[test]
fn copies_of_a_posting_are_looked_up_again_when_it_ends_and_not_later() {
    let mut board = Board::with(Status::Approved);
    for (body, is_looked_up) in [(RENAME, false), (EXPIRE, true), (CREATE, false)] {
        let writes = board.batch(&[push("a", body)]);
        let mut asked = writes.tasks.asked();
        let asks = asked.any(|effect| effect.queue() == posting::DUPLICATES);
        assert_eq!(asks, is_looked_up, "{body}");
    }
}
