use domain::{
    posting::Original,
    store::{PostingWrite, Store as _, WriteSet},
    testing::create,
};
use kernel::{Prefixes, testing::noon};

use crate::support::Desk;

#[tokio::test]
async fn a_copy_is_shown_beside_its_original_and_marked_as_different() {
    let desk = Desk::new();
    desk.add_client(domain::testing::pusher(), "acme", Prefixes::ALL)
        .await;
    desk.push(&[create("a", "acme"), create("b", "acme")]).await;
    let ann = desk.operator("ann").await;
    ann.get("/duplicates").await.has(&["There are none."]);
    let (original, mut copy) = (desk.posting("a").await, desk.posting("b").await);
    let expected = copy.version;
    copy.version += 1;
    copy.duplicate_of = Some(Original {
        id: original.id,
        source_identifier: original.source_identifier,
    });
    let mut writes = WriteSet::new(noon());
    let write = PostingWrite::new(Some(expected), copy);
    writes.postings.insert(write.posting.id, write);
    desk.store.commit(writes).await.unwrap();
    let page = ann.get("/duplicates").await;
    page.has(&[
        "name=\"original\" value=\"a\"",
        "name=\"copy\" value=\"b\"",
        "Text of a",
    ]);
    let page = ann.follow("/duplicates", "original=a&copy=b").await;
    page.has(&["The postings are two openings"]);
    let gone = ann.post("/duplicates", "original=a&copy=x").await;
    assert_eq!(gone.status, 404);
    assert_eq!(desk.audit().await[2..], ["ann postings.tell_apart"]);
}
