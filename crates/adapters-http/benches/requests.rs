//! The cost of a request before it is queued: parsing with validation, and the check of its token.
#![expect(clippy::expect_used, reason = "a benchmark, whose samples are right")]

use std::{hint::black_box, path::Path, sync::Arc, time::Duration};

use access::{ActivityRecorder, Client, Clients, Scope, StoredSecret, activity::Refusal};
use actix_web::{
    App,
    http::header::{AUTHORIZATION, HeaderMap, HeaderValue},
    test, web,
};
use adapters_http::oauth::{self, Authorizer};
use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use domain::testing::MemoryStore;
use domain::{authority::Principal, posting::PutPosting};
use kernel::{ClientId, PostingId, Prefixes, PutOutcome};
use serde_json::Value;
use time::OffsetDateTime;
use tokens::{ClientSecret, KeyFolder, KeyId};
use uuid::Uuid;

const URL: &str = "http://127.0.0.1:8080";
const SCOPES: &[Scope] = &[Scope::JobPostingsWrite];

/// Remembers nothing.
struct Nobody;

impl ActivityRecorder for Nobody {
    fn pushed(&self, _: ClientId, _: PutOutcome, _: OffsetDateTime) {}

    fn refused(&self, _: ClientId, _: OffsetDateTime) {}

    fn explained(&self, _: ClientId, _: Refusal) {}

    fn used(&self, _: ClientId, _: [u8; 32], _: OffsetDateTime) {}
}

fn parsing(criterion: &mut Criterion) {
    let paragraph = "<p>You build &amp; run the services behind our \\\"product\\\".</p>\\n";
    let description = paragraph.repeat(55);
    let body = format!(
        r#"{{"title":"Backend Engineer","raw_description":"{description}",
        "employment_types":["full-time"],"location_types":["remote","hybrid"],
        "location_country_code":"DE","location_city":"Berlin","salary_min":60000,
        "salary_max":80000,"salary_currency_code":"EUR","salary_period":"annually",
        "application_url":"https://www.company.example/jobs/1","metadata":{{"source":"board"}},
        "company":{{"name":"Company","website_url":"https://www.company.example/"}}}}"#
    );
    let by = Principal::unfenced(ClientId::new(Uuid::from_u128(1)));
    let new_id = PostingId::new(Uuid::from_u128(2));
    let parse = |body: &str| PutPosting::parse("posting-1", body.as_bytes(), by, new_id);
    assert!(parse(&body).expect("a sample body").errors.is_empty());

    let mut group = criterion.benchmark_group("parsing with validation");
    group.throughput(Throughput::Bytes(body.len() as u64));
    group.bench_function("4 KB", |bencher| bencher.iter(|| parse(black_box(&body))));
    group.finish();
}

fn tokens(criterion: &mut Criterion) {
    let system = actix_web::rt::System::new();
    let keys = tempfile::tempdir().expect("a temporary directory");
    KeyFolder::new(keys.path())
        .generate(KeyId::new(Uuid::now_v7()).expect("a key id"))
        .expect("a key");
    let clients: Arc<dyn Clients> = Arc::new(MemoryStore::new());
    let headers = system.block_on(token(&clients, keys.path()));
    let check = |authorizer: &Authorizer| {
        let headers = black_box(&headers);
        let caller = system.block_on(authorizer.authorize(headers, SCOPES, true, |_, _| {}));
        caller.expect("a good token")
    };

    let mut group = criterion.benchmark_group("checking a token");
    let authorizer = authorizer(&clients, keys.path());
    group.bench_function("seen before", |bencher| bencher.iter(|| check(&authorizer)));
    // A new authorizer has empty caches: it verifies the signature and looks the client up.
    group.bench_function("for the first time", |bencher| {
        bencher.iter_batched_ref(
            || self::authorizer(&clients, keys.path()),
            |authorizer| check(authorizer),
            BatchSize::SmallInput,
        );
    });
    group.finish();
}

fn authorizer(clients: &Arc<dyn Clients>, keys: &Path) -> Authorizer {
    let ttl = Duration::from_hours(1);
    let authorizer = Authorizer::new(Arc::clone(clients), Arc::new(Nobody), keys, URL, ttl);
    authorizer.expect("readable keys")
}

/// The headers of a request with a token from the token endpoint.
async fn token(clients: &Arc<dyn Clients>, keys: &Path) -> HeaderMap {
    let secret = ClientSecret::generate().expect("random numbers");
    let id = ClientId::new(Uuid::now_v7());
    let client = Client {
        id,
        version: 1,
        name: "Bench".to_owned(),
        scopes: SCOPES.to_vec(),
        prefixes: Prefixes::ALL,
        requests_per_minute: None,
        tokens_from: None,
        secrets: vec![StoredSecret::new(
            secret.digest(),
            OffsetDateTime::now_utc(),
        )],
        created_at: OffsetDateTime::now_utc(),
        revoked_at: None,
    };
    clients.insert(&client, None).await.expect("a client");
    let authorizer = web::Data::new(authorizer(clients, keys));
    let app = App::new().app_data(authorizer).configure(oauth::routes);
    let app = test::init_service(app).await;
    let form = [
        ("grant_type", "client_credentials".to_owned()),
        ("client_id", id.to_string()),
        ("client_secret", secret.expose().to_owned()),
    ];
    let request = test::TestRequest::post().uri("/oauth/token");
    let request = request.set_form(form).to_request();
    let answer: Value = test::call_and_read_body_json(&app, request).await;
    let token = answer["access_token"].as_str().expect("a token");
    let bearer = HeaderValue::try_from(format!("Bearer {token}")).expect("a header");
    HeaderMap::from_iter([(AUTHORIZATION, bearer)])
}

criterion_group! {
    name = requests;
    config = Criterion::default()
        .warm_up_time(Duration::from_secs(1))
        .measurement_time(Duration::from_secs(2));
    targets = parsing, tokens
}
criterion_main!(requests);
