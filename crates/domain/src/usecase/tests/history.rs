//! A posting is read as it was shown at each moment of a random history.

use kernel::testing::{by_ann, hours, identifier, noon};
use proptest::prelude::*;

use super::merge::{merge, put, settle, unmerge};
use crate::{
    posting::{AsOf, Ground, Lifetime, PostingView, moderation::Moderation},
    store::PostingReader,
    testing::{MemoryStore, contract::versions::judge, push},
    usecase::{Restoration, ingest, moderate, restore_version},
};

const HOSTS: [&str; 3] = ["a", "b", "c"];

/// Refused commands, and verdicts that were not requested, change nothing.
async fn step(store: &MemoryStore, kind: u8, n: usize, hour: u32) {
    let (now, posting, by) = (noon() + hours(hour.into()), identifier("p"), by_ann(1));
    let host = HOSTS[n];
    let reason = || "a reason".to_owned();
    let body = match kind {
        0 => format!(r#"{{"title":"Title {n}"}}"#),
        1 => format!(r#"{{"raw_description":"<p>Text {n}.</p>"}}"#),
        2 => format!(r#"{{"salary_min":{n},"metadata":{{"a":[{hour}]}}}}"#),
        3 => format!(r#"{{"application_url":"https://{host}.example/{hour}"}}"#),
        4 | 5 => format!(
            r#"{{"company":{{"name":"{host} {hour}","website_url":"https://{host}.example"}}}}"#
        ),
        6 => r#"{"expiration":{"reason":"Filled"}}"#.to_owned(),
        7 => r#"{"expiration":null}"#.to_owned(),
        8..=10 => {
            let is_no_ad = kind == 10;
            let _ = judge(store, "p", host, is_no_ad, hour).await;
            return;
        }
        11 => {
            let command = match n {
                0 => Moderation::Approve,
                1 => Moderation::Reopen { reason: reason() },
                _ => Moderation::Expire {
                    reason: reason(),
                    ground: Ground::Terms,
                },
            };
            let _ = moderate(store, &posting, &command, None, &by, Lifetime::NEVER, now).await;
            return;
        }
        12 => {
            let order = Restoration {
                identifier: posting,
                version: (3 * n + 1).try_into().unwrap(),
                reason: reason(),
                seen: None,
                by,
            };
            let _ = restore_version(store, store, &order, Lifetime::NEVER, now).await;
            return;
        }
        _ => {
            let _ = if n == 0 {
                unmerge(store, "a").await
            } else {
                merge(store, "a", host).await
            };
            settle(store, now).await;
            return;
        }
    };
    let puts = [push("p", &body)];
    let answers = ingest(store, &puts, Lifetime::NEVER, now).await;
    answers.unwrap();
}

/// The view of a reader, without the parts that no version keeps.
fn seen(mut view: PostingView, now: &PostingView) -> PostingView {
    view.history.clear();
    view.decision = None;
    if view.company.company.id == now.company.company.id {
        view.company = now.company.clone();
    }
    if let (Some(pending), Some(now)) = (&mut view.pending, &now.pending) {
        let id = |company: &Option<crate::company::CompanyView>| {
            company.as_ref().map(|it| it.company.id)
        };
        if id(&pending.company) == id(&now.company) {
            pending.company.clone_from(&now.company);
        }
    }
    view
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]
    #[test]
    fn a_posting_is_read_as_it_was_shown_at_each_moment_of_a_random_history(
        steps in proptest::collection::vec((0..14_u8, 0..3_usize), 1..32),
    ) {
        pollster::block_on(async {
            let store = MemoryStore::new();
            for host in HOSTS {
                put(&store, host, host).await;
            }
            put(&store, "p", "a").await;
            let mut moments = Vec::new();
            for (hour, (kind, n)) in (1..).zip(steps) {
                step(&store, kind, n, hour).await;
                let shown = PostingReader::find(&store, &identifier("p")).await;
                moments.push((noon() + hours(hour.into()), shown.unwrap().unwrap()));
            }
            for (at, shown) in moments {
                let at = at + time::Duration::MINUTE;
                for moment in [AsOf::At(at), AsOf::Version(shown.posting.version)] {
                    let then = store.as_of(&identifier("p"), moment).await;
                    let then = then.unwrap().map(|it| seen(it, &shown));
                    let expect = seen(shown.clone(), &shown);
                    prop_assert_eq!(then, Some(expect), "{:?}", moment);
                }
            }
            Ok(())
        })?;
    }
}
