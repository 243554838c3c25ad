mod errors;
mod lists;
mod requests;
mod transport;

use std::{num::NonZeroU32, time::Duration};

use newsletter::subscriber::{
    Account, Email,
    provider::{
        Fields, Found, Profile, Provider, ProviderError, ProviderId, ProviderStatus, Upserted,
    },
};
use outbound::Timeouts;
use serde_json::{Value, json};
use wiremock::{Mock, MockServer, Request, ResponseTemplate, matchers::any};

use crate::{AccountSettings, MailerLite, Settings, SettingsError};

const TIMEOUTS: Timeouts = Timeouts {
    connection: Duration::from_mins(1),
    answer: Duration::from_mins(1),
};

const KEY: &str = "sesame-open-up";

fn email(text: &str) -> Email {
    Email::parse(text).unwrap()
}

fn id(text: &str) -> ProviderId {
    ProviderId(text.to_owned())
}

fn profile() -> Profile {
    Profile {
        email: email("rosa@garden.example"),
        fields: Fields {
            name: Some("Rosa \"Dorn\" Müller".to_owned()),
            country: Some("Österreich".to_owned()),
            membership_plan_category: Some("individual".to_owned()),
            member_status: Some("active-or-expired".to_owned()),
            membership_expire_at: Some("2027-01-09".to_owned()),
        },
    }
}

fn account(base_url: &str) -> AccountSettings {
    AccountSettings {
        key: KEY.into(),
        base_url: base_url.parse().unwrap(),
        group: Some("4711".to_owned()),
    }
}

fn settings(base_url: &str) -> Settings {
    Settings {
        old: None,
        new: Some(account(base_url)),
        requests_per_minute: NonZeroU32::MAX,
    }
}

fn provider(base_url: &str) -> MailerLite {
    MailerLite::with_timeouts(&settings(base_url), TIMEOUTS).unwrap()
}

async fn answering(answer: ResponseTemplate) -> (MailerLite, MockServer) {
    let server = MockServer::start().await;
    Mock::given(any()).respond_with(answer).mount(&server).await;
    (provider(&format!("{}/api", server.uri())), server)
}

fn person(id: &str, status: &str) -> Value {
    json!({"data": {
        "id": id,
        "email": "rosa@garden.example",
        "status": status,
        "source": "api",
        "sent": 0,
        "subscribed_at": "2026-11-20 11:10:41",
        "unsubscribed_at": null,
        "fields": {"name": "Rosa", "country": null},
        "groups": [],
    }})
}

fn found(id: &str, status: ProviderStatus) -> Found {
    Found {
        id: self::id(id),
        status,
        unsubscribed_at: None,
        is_deleted: false,
        fields: Fields {
            name: Some("Rosa".to_owned()),
            ..Fields::default()
        },
    }
}

async fn only_request(server: &MockServer) -> Request {
    let mut requests = server.received_requests().await.unwrap();
    assert_eq!(requests.len(), 1, "{requests:#?}");
    requests.remove(0)
}

struct Said {
    upsert: Result<Upserted, ProviderError>,
    find: Result<Option<Found>, ProviderError>,
    remove: Result<(), ProviderError>,
}

async fn said_of(answer: ResponseTemplate) -> Said {
    let (provider, _server) = answering(answer).await;
    said_by(&provider).await
}

async fn said_by(provider: &MailerLite) -> Said {
    let profile = profile();
    Said {
        upsert: provider.upsert(Account::New, &profile, false).await,
        find: provider.find(Account::New, &profile.email).await,
        remove: provider.remove(Account::New, &id("31")).await,
    }
}

impl Said {
    fn error(self) -> ProviderError {
        let error = self.upsert.unwrap_err();
        assert_eq!(self.find.unwrap_err(), error);
        assert_eq!(self.remove.unwrap_err(), error);
        error
    }
}
