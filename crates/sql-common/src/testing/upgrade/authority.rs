//! The company of the fixtures that has an owner, and its event.

use domain::{
    company::{Company, CompanyView},
    testing::AllPorts,
};
use kernel::{
    Actor, ClientId, CompanyId, Prefixes, Website,
    audit::Operator,
    event::{CompanyState, EventName, LogQuery, Subject},
    testing::{hours, noon, uuid},
};
use uuid::Uuid;

pub(super) async fn come_back<S: AllPorts>(store: &S) {
    let view = CompanyView {
        company: Company {
            id: CompanyId::new(Uuid::from_u128(0x86c4_b06d_4a1c_5e2b_9c0e_0000_0000_0901)),
            name: "Dune".to_owned(),
            website: Website::parse("https://dune.example").expect("it is a website"),
            logo_path: None,
            owner: Some(ClientId::new(uuid(0x201))),
        },
        created_at: noon(),
        updated_at: noon() + hours(1),
        updated_by: Operator::new("Ann")
            .ok()
            .map(|name| Actor::Operator(Some(name))),
    };
    let found = store.company(view.company.id).await;
    assert_eq!(found.expect("the store works").as_ref(), Some(&view));
    let query = LogQuery {
        after: None,
        names: vec![EventName::new("Owned")],
        prefixes: Prefixes::ALL,
        limit: 9,
    };
    let page = store.read(&query).await.expect("the log is there");
    let subjects: Vec<_> = page.events.iter().map(|it| &it.event.subject).collect();
    assert_eq!(subjects, [&Subject::Company(CompanyState::from(&view))]);
}
