//! The passes of the fixtures.

use access::sign_in::{Pass, PassKind, Passes};
use kernel::{
    audit::Operator,
    testing::{hours, noon},
};

use crate::testing::AllPorts;

/// A link of an hour and a session of two.
pub(super) async fn come_back<S: AllPorts>(store: &S) {
    for (n, kind, operator) in [
        (1, PassKind::Link, "ann"),
        (2, PassKind::Session, "Bob (night shift)"),
    ] {
        let expect = Pass {
            digest: [n; 32],
            kind,
            operator: Operator::new(operator).expect("it is a name"),
            created_at: noon(),
            expires_at: noon() + hours(n.into()),
        };
        let found = Passes::find_pass(store, kind, &[n; 32]).await;
        assert_eq!(found, Ok(Some(expect)));
    }
}
