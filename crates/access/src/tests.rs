use std::num::NonZeroU32;

use kernel::testing::{hours, noon};

use super::*;
use crate::testing::client;

#[test]
fn a_change_replaces_what_it_names() {
    let before = client(1);
    assert_eq!(before.apply(&ClientChange::default()), None);
    let change = ClientChange {
        name: Some("Other".to_owned()),
        scopes: Some(vec![Scope::JobPostingsRead; 2]),
        prefixes: Prefixes::new(&["acme-"]).ok(),
        requests_per_minute: NonZeroU32::new(60).into(),
        expect_every: Some(Duration::DAY).into(),
    };
    let write = before.apply(&change).unwrap();
    assert_eq!((write.expected, write.client.version), (1, 2));
    let after = write.client;
    assert_eq!(after.name, "Other");
    assert_eq!(after.scopes, [Scope::JobPostingsRead]);
    assert_eq!(after.prefixes.as_slice(), ["acme-"]);
    assert_eq!(after.requests_per_minute, NonZeroU32::new(60));
    assert_eq!(after.expect_every, Some(Duration::DAY));
    assert_eq!(after.apply(&change), None);
    let unlimited = ClientChange {
        prefixes: Some(Prefixes::ALL),
        requests_per_minute: Patch::Clear,
        ..ClientChange::default()
    };
    let after = after.apply(&unlimited).unwrap().client;
    assert!(after.prefixes.are_all());
    assert_eq!(after.requests_per_minute, None);
}

fn live(client: &Client, now: OffsetDateTime) -> Vec<u8> {
    client
        .live_secrets(now)
        .map(|secret| secret.digest[0])
        .collect()
}

#[test]
fn two_secrets_are_live_at_most() {
    let first = client(1);
    let rotate = |client: &Client, secret: u8, overlap: i64, hour: i64| {
        let write = client.rotate([secret; 32], hours(overlap), noon() + hours(hour));
        write.client
    };
    let at = |hour| noon() + hours(hour);
    let second = rotate(&first, 2, 24, 0);
    assert_eq!(live(&second, at(23)), [2, 7]);
    assert_eq!(live(&second, at(24)), [2]);
    let third = rotate(&second, 3, 24, 1);
    assert_eq!(live(&third, at(1)), [3, 2]);
    assert_eq!(live(&third, at(25)), [3]);
    let fourth = rotate(&third, 4, 0, 2);
    assert_eq!(live(&fourth, at(2)), [4]);
    assert_eq!(fourth.secrets.len(), 1);
}

#[test]
fn no_token_that_was_issued_before_outlives_its_end_and_every_later_one_does() {
    let at = |millis| noon() + Duration::milliseconds(millis);
    let mut client = client(1);
    let mut issued = vec![client.time_of_issue(at(0))];
    // Milliseconds: two ends within one second, one when a second begins, one by a slow clock.
    for end in [200, 700, 4_000, 3_500] {
        let write = client.rotate([8; 32], hours(1), at(end));
        client = write.ending_tokens(at(end)).client;
        let accepted = |time: &i64| client.accepts_issue(*time);
        assert!(!issued.iter().any(accepted), "{end}");
        let later = [0, 1, 50, 999, 5_000].map(|after| client.time_of_issue(at(end + after)));
        assert!(later.iter().all(accepted), "{end}");
        issued.extend(&later[..3]);
    }
}

#[test]
fn a_revoked_client_has_no_live_secret() {
    let revoked = client(1).revoke(noon()).unwrap().client;
    assert_eq!(revoked.revoked_at, Some(noon()));
    assert!(live(&revoked, noon()).is_empty());
    assert_eq!(revoked.revoke(noon() + hours(1)), None);
}
