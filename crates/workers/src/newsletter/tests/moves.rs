use super::*;

fn steps(address: &str) -> [Call; 4] {
    let email = email(address);
    [
        Call::Find(Old, email.clone()),
        Call::Upsert(New, email.clone(), true),
        Call::Find(Old, email.clone()),
        Call::Remove(Old, email),
    ]
}

async fn settled() -> Bench {
    let bench = Bench::new();
    let worker = bench.start();
    bench.put(ADA, INDIVIDUAL).await;
    bench.until_idle().await;
    worker.stop().await;
    bench.script.memory.calls();
    bench
}

#[tokio::test(start_paused = true)]
async fn a_sync_does_not_come_between_a_move_and_the_old_account() {
    let bench = settled().await;
    let worker = bench.start();
    bench.script.treat(Old, Treatment::Slow(60 * SECOND));
    bench.put(ADA, &named("Ada")).await;
    bench.until_under_way(1).await;
    bench.migrate(ADA).await;
    // Other subscribers do not wait for the slow call.
    bench.put(BOB, "{}").await;
    sleep(10 * SECOND).await;
    assert_eq!(bench.script.under_way(), 2);
    bench.script.relent(Old);
    bench.until_idle().await;
    let of_ada = |call: &Call| !matches!(call, Call::Upsert(_, bob, _) if *bob == email(BOB));
    let calls: Vec<_> = bench
        .script
        .memory
        .calls()
        .into_iter()
        .filter(of_ada)
        .collect();
    let mut expect = vec![Call::Update(Old, email(ADA))];
    expect.extend(steps(ADA));
    assert_eq!(calls, expect);
    assert!(bench.script.memory.person(Old, &email(ADA)).is_none());
    worker.stop().await;
}

/// The suppression arrives weeks after the move, when the old account no longer answers.
#[tokio::test(start_paused = true)]
async fn a_late_suppression_reaches_one_account_while_the_other_is_locked() {
    for (locked_one, other) in [(Old, New), (New, Old)] {
        let bench = settled().await;
        let active = SubscriberStatus::Active;
        bench.script.memory.set(New, &email(ADA), active);
        let worker = bench.start();
        bench.script.treat(locked_one, Treatment::Fail(locked()));
        bench.notice(ADA, SubscriberStatus::Unsubscribed).await;
        let is_active = |account| {
            let person = bench.script.memory.person(account, &email(ADA)).unwrap();
            person.status.suppression().is_none()
        };
        bench.until("one has it", async || !is_active(other)).await;
        assert!(is_active(locked_one));
        sleep(HOUR).await;
        let asked = bench.script.asked(locked_one).len();
        assert!(asked < 100, "{asked}: it is retried too often");
        bench.script.relent(locked_one);
        bench.until_idle().await;
        assert!(!is_active(locked_one));
        worker.stop().await;
    }
}
