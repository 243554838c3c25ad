use kernel::{
    audit::{AuditLog as _, AuditQuery},
    testing::{by_ann, noon},
};
use newsletter::{
    audit::SUBSCRIBERS_ERASE,
    store::Store as _,
    testing::{MemoryStore, email, notice, report, subscriber_id},
    usecase::{self, Erased, Run, find_subscriber, put_subscribers},
};

use super::{
    super::intake::{Tally, import_text},
    *,
};

const ADA: &str = "ada@example.com";
const BOB: &str = "bob@example.com";
const STRANGER: &str = "'=stranger@example.com";

async fn exported(store: &MemoryStore) -> (String, usize) {
    let (mut text, mut parts) = (Vec::new(), 0);
    let print = |bytes: &[u8]| {
        text.extend_from_slice(bytes);
        parts += 1;
        Ok(())
    };
    export(store, print).await.unwrap();
    (String::from_utf8(text).unwrap(), parts)
}

async fn imported(store: &MemoryStore, file: &str) -> (anyhow::Result<Tally>, Vec<String>) {
    let mut import = Intake {
        store,
        clock: std::sync::Arc::new(noon),
        run: Some(Run::new(
            by_ann(7).entry(audit::SUPPRESSIONS_IMPORT, noon()),
        )),
    };
    let (done, said) = import_text::<ImportedSuppression>(&mut import, file).await;
    if let Ok(tally) = &done {
        let counts = tally.counts().iter().copied();
        import.run.unwrap().end(store, counts).await.unwrap();
    }
    (done, said)
}

fn tally(suppressed: u64, unchanged: u64, refused: u64) -> Tally {
    let mut tally = Tally::of::<ImportedSuppression>();
    tally.add("suppressed", suppressed);
    tally.add("unchanged", unchanged);
    tally.add("refused", refused);
    tally
}

/// A store in which Ada has unsubscribed, Bob has not, and a stranger has bounced.
async fn store() -> MemoryStore {
    let store = MemoryStore::new();
    let puts = [report(ADA, "{}"), report(BOB, "{}")];
    put_subscribers(&store, &puts, noon()).await.unwrap();
    let asked = notice(ADA, SubscriberStatus::Unsubscribed);
    let reason = "\"never\", she\u{1F980} said";
    let by = by_ann(1);
    let done = usecase::suppress(&store, &asked, reason, &by, noon());
    assert!(done.await.unwrap().is_news);
    let said = [notice(STRANGER, SubscriberStatus::Bounced)];
    usecase::notice_events(&store, &said, noon()).await.unwrap();
    store
}

#[tokio::test]
async fn an_export_has_everybody_who_is_suppressed_and_no_one_else() {
    let expect = format!(
        "email,status,source,account,at,reason\n\
         {STRANGER},bounced,webhook,,2026-03-01T12:00:00.123456Z,\n\
         {ADA},unsubscribed,operator,,2026-03-01T12:00:00.123456Z,\
         \"\"\"never\"\", she\u{1F980} said\"\n"
    );
    let store = store().await;
    assert_eq!(exported(&store).await, (expect, 1));
    // An address that is being erased is not exported.
    for address in [ADA, STRANGER] {
        let erased = usecase::erase(
            &store,
            &email(address),
            by_ann(9).entry(SUBSCRIBERS_ERASE, noon()),
        )
        .await;
        assert_ne!(erased, Ok(Erased::Nothing));
    }
    let nobody = "email,status,source,account,at,reason\n".to_owned();
    assert_eq!(exported(&store).await, (nobody, 1));
}

/// A person reported again after a loss of the database is suppressed.
#[tokio::test]
async fn what_was_exported_suppresses_in_another_database() {
    let (csv, _) = exported(&store().await).await;
    let fresh = MemoryStore::new();
    let (done, said) = imported(&fresh, &csv).await;
    assert_eq!((done.unwrap(), said), (tally(2, 0, 0), Vec::new()));
    let puts = [ADA, BOB, STRANGER].map(|address| report(address, "{}"));
    put_subscribers(&fresh, &puts, noon()).await.unwrap();
    for (address, status) in [
        (ADA, SubscriberStatus::Unsubscribed),
        (BOB, SubscriberStatus::Active),
        (STRANGER, SubscriberStatus::Bounced),
    ] {
        let known = find_subscriber(&fresh, &email(address)).await.unwrap();
        let known = known.unwrap();
        assert_eq!(known.status, status, "{address}");
        let source = known.suppression.as_ref().map(|known| known.source);
        let expect = status.is_suppressed().then_some(SuppressionSource::Import);
        assert_eq!(source, expect);
        let waits = known.unconfirmed_suppressions().count();
        assert_eq!(waits, if status.is_suppressed() { 2 } else { 0 });
    }
    let (done, _) = imported(&fresh, &csv).await;
    assert_eq!(done.unwrap(), tally(0, 2, 0));
    let query = AuditQuery {
        limit: 10,
        ..AuditQuery::default()
    };
    let entries = fresh.entries(&query).await.unwrap();
    assert_eq!(entries.len(), 1, "the same run");
    for (name, count) in tally(0, 2, 0).counts() {
        assert_eq!(entries[0].details[*name], *count);
    }
}

#[tokio::test]
async fn columns_may_be_few_and_in_any_order_and_bad_lines_are_said() {
    let store = store().await;
    let file = format!(
        "status,email\n\
         spam_reported,{ADA}\n\
         active,{BOB}\n\
         bounced,nonsense\n\
         ,{BOB}\n\
         removed, BOB@example.com \n"
    );
    let (done, said) = imported(&store, &file).await;
    let statuses = "removed, bounced, unsubscribed, spam_reported";
    assert_eq!(
        said,
        [
            format!("3: status must be one of {statuses}"),
            "4: email must be a valid e-mail address".to_owned(),
            format!("5: status must be one of {statuses}"),
        ]
    );
    assert_eq!(done.unwrap(), tally(2, 0, 3));
    let known = store
        .load_by_id(&[subscriber_id(ADA), subscriber_id(BOB)])
        .await
        .unwrap();
    assert_eq!(
        known[&subscriber_id(ADA)].status,
        SubscriberStatus::SpamReported
    );
    assert_eq!(known[&subscriber_id(BOB)].status, SubscriberStatus::Removed);

    let file = format!(
        "email,status,source,account,at,reason\n{BOB},bounced,rumour,newest,yesterday,a\tb\n"
    );
    let (_, said) = imported(&store, &file).await;
    assert_eq!(
        said,
        [
            "2: source must be empty or one of webhook, answer, move, import, reconciliation, \
          operator, link, erasure; account must be empty or one of old, new; at must be empty or an RFC 3339 \
          time; reason must not contain control characters, as U+0009"
        ]
    );
    for header in [
        "email",
        "email,status,email",
        "email,status,other",
        "status",
    ] {
        let (done, _) = imported(&store, &format!("{header}\n")).await;
        let error = done.unwrap_err().to_string();
        assert!(
            error.contains("must be email,status, and may have source,account,at,reason"),
            "{error}"
        );
    }
}
