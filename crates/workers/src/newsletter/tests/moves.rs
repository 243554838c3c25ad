//! Moves: the order of their steps, and what follows when one of them fails.

use newsletter::testing::Failing;

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

/// A subscriber of the old account.
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
async fn a_move_looks_up_adds_looks_again_and_removes_in_this_order() {
    let bench = settled().await;
    bench.migrate(ADA).await;
    let worker = bench.start();
    bench.until_idle().await;
    assert_eq!(bench.script.memory.calls(), steps(ADA));
    assert!(bench.script.memory.person(Old, &email(ADA)).is_none());
    let person = bench.script.memory.person(New, &email(ADA)).unwrap();
    assert_eq!(person.joined, 1);
    assert!(bench.subscriber(ADA).await.migrated.unwrap().arrived);

    bench.put(ADA, &named("Ada")).await;
    bench.until_idle().await;
    let calls = bench.script.memory.calls();
    assert_eq!(calls, [Call::Update(New, email(ADA))], "from now on");
    worker.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_sync_does_not_come_between_a_move_and_the_old_account() {
    let bench = settled().await;
    let worker = bench.start();
    // A sync is in progress when the move begins.
    bench.script.treat(Old, Treatment::Slow(60 * SECOND));
    bench.put(ADA, &named("Ada")).await;
    bench
        .until("the sync is under way", async || {
            bench.script.under_way() == 1
        })
        .await;
    bench.migrate(ADA).await;
    // Other subscribers do not wait for it.
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

#[tokio::test(start_paused = true)]
async fn a_move_that_failed_at_any_step_starts_over_and_loses_nobody() {
    for step in 0..4 {
        for failing in [Failing::Before, Failing::After] {
            for error in [busy(None), busy(Some(20 * SECOND)), locked()] {
                let bench = settled().await;
                bench.script.memory.fail(step, failing, error);
                bench.migrate(ADA).await;
                let worker = bench.start();
                bench.until_idle().await;
                let [look, join, again, remove] = steps(ADA);
                let mut expect = steps(ADA)[..=step].to_vec();
                expect.push(look);
                if step >= 2 {
                    // A subscriber whom the new account has had is not created again.
                    expect.push(Call::Find(New, email(ADA)));
                }
                // The group is joined once.
                expect.push(if step >= 2 {
                    Call::Upsert(New, email(ADA), false)
                } else {
                    join
                });
                expect.extend([again, remove]);
                if (step, failing) == (3, Failing::After) {
                    // Nothing is left to remove.
                    expect.pop();
                }
                let calls = bench.script.memory.calls();
                assert_eq!(calls, expect, "{step} {failing:?}");
                assert!(bench.script.memory.person(Old, &email(ADA)).is_none());
                assert!(bench.script.memory.person(New, &email(ADA)).is_some());
                assert!(bench.subscriber(ADA).await.migrated.unwrap().arrived);
                worker.stop().await;
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_move_that_was_not_recorded_starts_over() {
    let bench = settled().await;
    bench.migrate(ADA).await;
    bench.stores.faulty.fail_next([Fault::Panic]);
    let worker = bench.start();
    bench.until_idle().await;
    let mut expect = steps(ADA)[..1].to_vec();
    expect.extend(steps(ADA));
    assert_eq!(bench.script.memory.calls(), expect);
    assert!(bench.subscriber(ADA).await.migrated.unwrap().arrived);
    worker.stop().await;
}

/// A delivery comes weeks after the move; the account that is left no longer answers.
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
        bench.until("one is told", async || !is_active(other)).await;
        assert!(is_active(locked_one));
        sleep(HOUR).await;
        let asked = bench.script.asked(locked_one).len();
        assert!(asked < 100, "{asked}: it is left alone");
        bench.script.relent(locked_one);
        bench.until_idle().await;
        assert!(!is_active(locked_one));
        worker.stop().await;
    }
}
