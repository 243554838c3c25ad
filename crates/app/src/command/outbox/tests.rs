use domain::{
    posting::{ENRICH, Lifetime},
    testing::{create, put_id},
    usecase::ingest,
};
use kernel::{
    audit::{Entry, OUTBOX_RETRY},
    outbox::{Dismissal, Outbox, Revive, TaskId, TaskRow},
    testing::{by_ann, minutes, noon},
};
use newsletter::{store::AccountState, subscriber::Account, testing::MemoryStore};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{
    dead::{remove, revive},
    list::{COLUMNS, PAGE, data, pause, print},
};
use crate::{args::ListArgs, output};

/// A store with two postings: one enrichment is a dead letter, the other waits.
async fn store() -> MemoryStore {
    let store = MemoryStore::new();
    for (identifier, at) in [("a", noon()), ("b", noon() + minutes(1))] {
        ingest(&store, &[create(identifier, "acme")], Lifetime::NEVER, at)
            .await
            .unwrap();
    }
    let (lease, at) = (minutes(1), noon() + minutes(1));
    let claimed = store
        .claim(ENRICH, 1, lease, Uuid::max(), at)
        .await
        .unwrap();
    store
        .give_up(claimed[0].token, "no\x1b luck", at)
        .await
        .unwrap();
    store
}

async fn tasks(store: &MemoryStore, dead: bool) -> Vec<TaskRow> {
    let mut all = Outbox::list(store, dead, None, usize::MAX).await.unwrap();
    // The company has a task, too.
    all.retain(|task| task.kind == "enrich");
    all
}

fn recorded() -> Entry {
    by_ann(1).entry(OUTBOX_RETRY, noon())
}

#[test]
fn a_pause_is_said_while_it_lasts() {
    let (now, minute) = (noon(), minutes(1));
    let state = AccountState {
        paused_until: Some(now + minute),
        pause_reason: Some("old account: 429\u{1b}[2J".to_owned()),
        reconciled_at: None,
    };
    let text = pause(Account::Old, &state, now).unwrap();
    assert!(text.contains("old account is paused until"), "{text}");
    assert!(text.contains("429\u{FFFD}[2J"), "{text}");
    assert_eq!(pause(Account::Old, &state, now + minute), None);
    assert_eq!(pause(Account::New, &AccountState::default(), now), None);
}

#[tokio::test]
async fn json_is_an_array_of_rows() {
    let store = store().await;
    let [waiting] = &tasks(&store, false).await[..] else {
        panic!("one waits");
    };
    let expect = json!({"id": waiting.id.0, "kind": "enrich", "key": put_id("b").to_string(),
        "attempts": 0, "next_at": "2026-03-01T12:01:00.123456Z", "last_error": null});
    assert_eq!(data(waiting), expect);
}

async fn listed(store: &MemoryStore, limit: usize, as_json: bool) -> Vec<String> {
    let mut printed = Vec::new();
    let take = |text: String| {
        printed.extend(text.lines().map(str::to_owned));
        Ok(())
    };
    let args = ListArgs::of(limit, as_json);
    print(store, false, &args, take).await.unwrap();
    printed
}

#[tokio::test]
async fn a_list_has_a_limit_and_says_how_many_more_there_are() {
    let store = MemoryStore::new();
    assert_eq!(listed(&store, 100, true).await, ["[]"]);
    let puts: Vec<_> = (0..PAGE * 2)
        .map(|n| create(&n.to_string(), "acme"))
        .collect();
    ingest(&store, &puts, Lifetime::NEVER, noon())
        .await
        .unwrap();
    for (limit, rows) in [(1, 1), (PAGE + 1, PAGE + 1), (PAGE * 3, PAGE * 2 + 1)] {
        let json = listed(&store, limit, true).await.concat();
        let json: Value = serde_json::from_str(&json).unwrap();
        assert_eq!(json.as_array().unwrap().len(), rows);
        let mut text = listed(&store, limit, false).await;
        if limit < PAGE * 2 {
            let more = format!("and {} more; ", PAGE * 2 + 1 - rows);
            let last = text.pop().unwrap();
            assert!(last.starts_with(&more), "{last}");
        }
        assert_eq!(text.len(), 1 + rows, "a heading and a line for each");
    }
}

#[tokio::test]
async fn the_table_shows_errors_safely_and_fits_a_terminal() {
    let store = store().await;
    let dead = tasks(&store, true).await;
    let rows: Vec<_> = dead.iter().map(data).collect();
    let text = output::table(COLUMNS, &rows).unwrap();
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.len(), 3, "{text}");
    assert!(
        lines[1].contains("enrich") && lines[1].contains("2026-03-01 12:0"),
        "{text}"
    );
    assert_eq!(lines[2].trim(), "no\u{FFFD} luck");
    assert!(
        lines.iter().all(|line| line.chars().count() <= 100),
        "{text}"
    );
    let none = listed(&MemoryStore::new(), 9, false).await;
    assert_eq!(none, ["Nothing waits."]);
}

fn named(ids: &[TaskId]) -> Revive {
    Revive::Tasks(ids.to_vec())
}

#[tokio::test]
async fn dead_tasks_come_back() {
    let store = store().await;
    let (dead, waiting) = (
        tasks(&store, true).await[0].id,
        tasks(&store, false).await[0].id,
    );
    let error = revive(&store, &named(&[dead, waiting]), &recorded(), noon()).await;
    let error = error.unwrap_err().to_string();
    assert!(error.starts_with("due again: 1 of 2;"), "{error}");
    let none = revive(&store, &Revive::All, &recorded(), noon()).await;
    assert_eq!(none.unwrap(), "Due again: 0.");
}

#[tokio::test]
async fn dead_tasks_are_dismissed_and_waiting_ones_refused() {
    let store = store().await;
    let (dead, waiting) = (
        tasks(&store, true).await[0].id,
        tasks(&store, false).await[0].id,
    );
    let dismissal = Dismissal {
        by: by_ann(1),
        reason: "gone".to_owned(),
        at: noon(),
    };
    let error = remove(&store, &named(&[waiting]), &dismissal).await;
    let error = error.unwrap_err().to_string();
    assert!(error.starts_with("dismissed: 0 of 1;"), "{error}");
    for (selection, said) in [
        (named(&[dead]), "Dismissed: 1."),
        (Revive::All, "Dismissed: 0."),
    ] {
        let done = remove(&store, &selection, &dismissal).await;
        assert_eq!(done.unwrap(), said);
    }
    let left = (
        tasks(&store, true).await.len(),
        tasks(&store, false).await.len(),
    );
    assert_eq!(left, (0, 1));
}
