//! `/integration`: a client's pages, for the people who run it.
//!
//! They show the same as the API shows the client, by the same use cases, prefixes and scopes. A
//! session has only its link's scopes, and its requests count like API requests
//! ([`Gate`](access::Gate)). The pages share the console's templates and queries. No handler takes
//! an [`OperatorVisit`](crate::visit::OperatorVisit), so operators' actions are unreachable.

use access::{
    Activity, Client, ClientError, Scope,
    activity::Counts,
    sign_in::{Integrators, LinkMaker, SignInTokens, issue_client_link, token_digest},
};
use actix_web::{
    Error, HttpRequest, HttpResponse,
    body::BoxBody,
    dev::{ServiceRequest, ServiceResponse},
    http::{
        StatusCode,
        header::{HeaderValue, WWW_AUTHENTICATE},
    },
    middleware::{Next, from_fn},
    web,
};
use askama::Template;
use domain::{report::parse_objection, usecase};
use kernel::{AttentionItem, PostingId, SourceIdentifier};
use runtime::{COMMAND_PATIENCE, decide_again};
use serde_json::json;
use time::OffsetDateTime;
use uuid::Uuid;
use views::attention::Pages;

use crate::{
    assets, catalogues,
    chart::Chart,
    error::{self, Answer, Failure},
    facts::Facts,
    form::{Fields, Form},
    overview::{last_days, pushes},
    page::{Frame, INTEGRATION, page},
    postings::{list, show},
    preview,
    query::Query,
    session::{SIGN_IN_PATH, admit, by_cookie, new_token, take_place},
    sign_in::{self, Door, LINK_PARAMETER, SIGN_OUT_PATH, Way},
    state::{Ports, Site},
    visit::Visit,
    webhooks,
};

/// The challenge of a 401: the cookie that a link sets.
const CHALLENGE: HeaderValue = HeaderValue::from_static("Cookie realm=\"integration\"");

/// The routes of the pages, without their prefix `/integration`.
pub fn integration_routes(
    ports: Ports,
    public_url: &str,
) -> impl Fn(&mut web::ServiceConfig) + Send + Sync + 'static {
    let site = web::Data::new(Site::new(&INTEGRATION, public_url, ports));
    move |config| {
        let pages = web::scope("")
            .wrap(from_fn(require_client))
            .service(page("", overview))
            .service(page("/postings", postings).route(web::post().to(object)))
            .service(page(catalogues::PATH, catalogues::own))
            .service(
                page("/catalogues/{id}", catalogues::one::show)
                    .route(web::post().to(catalogues::one::command)),
            )
            .service(page(preview::PATH, preview::show).route(web::post().to(preview::paste)))
            .configure(webhooks::routes)
            .service(web::resource(SIGN_OUT_PATH).route(web::post().to(leave)))
            .default_service(web::to(error::not_found));
        config
            .app_data(web::Data::clone(&site))
            .configure(assets::routes)
            .service(web::resource(SIGN_IN_PATH).to(enter))
            .service(pages);
    }
}

fn door(site: &Site) -> Door<'_, Integrators<'_>> {
    Door {
        site,
        way: Way::Client,
        admission: Integrators(&*site.ports.stores.clients),
    }
}

async fn require_client(
    site: web::Data<Site>,
    mut request: ServiceRequest,
    next: Next<BoxBody>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let door = door(&site);
    let found = by_cookie(request.request(), &site, &door.admission).await;
    let (found, _place) = match found {
        Ok(Some(session)) => match take_place(&mut request, &session).await {
            Ok(place) => (Ok(Some(session)), Some(place)),
            Err(failure) => (Err(failure), None),
        },
        found => (found, None),
    };
    let refuse = || {
        let mut page = door.show(None, None, StatusCode::UNAUTHORIZED)?;
        page.headers_mut().insert(WWW_AUTHENTICATE, CHALLENGE);
        Ok(page)
    };
    admit(request, next, site.place, found, refuse).await
}

async fn enter(request: HttpRequest, payload: web::Payload, site: web::Data<Site>) -> HttpResponse {
    door(&site).answer(&request, payload).await
}

async fn leave(visit: Visit, _: Form) -> Answer {
    sign_in::leave::<Integrators<'_>>(&visit).await
}

/// Creates a one-time link to a client's pages, with the client's scopes. Returns link and expiry.
pub async fn client_link(
    tokens: &dyn SignInTokens,
    client: &Client,
    by: LinkMaker<'_>,
    public_url: &str,
    now: OffsetDateTime,
) -> Result<(String, OffsetDateTime), ClientError> {
    let token = new_token();
    let link = issue_client_link(tokens, token_digest(&token), client, by, now).await?;
    let path = INTEGRATION.at(SIGN_IN_PATH);
    let url = format!("{public_url}{path}?{LINK_PARAMETER}={token}");
    Ok((url, link.expires_at))
}

#[derive(Template)]
#[template(path = "integration/overview.html")]
struct Overview<'a> {
    frame: Frame,
    client: &'a Client,
    pushes: Chart,
    items: Vec<(AttentionItem, String)>,
    sums: Counts,
    activity: Activity,
    facts: Facts,
}

async fn overview(visit: Visit) -> Answer {
    let client = visit.client(Scope::READERS)?;
    let activity = visit.stores().activity.activity(client.id).await?;
    let (mut days, mut sums) = (last_days(visit.now), Counts::default());
    for day in &activity.days {
        if let Some(counts) = days.get_mut(&day.date) {
            *counts += day.counts;
            sums += day.counts;
        }
    }
    let mut items = visit.stores().attention.attention().await?.items;
    items.retain(|item| item.is_for(Some(client.id), &client.prefixes));
    let linked = items.into_iter().map(|item| {
        let link = Pages::Integration("").link(&item.page);
        (item, link)
    });
    let page = Overview {
        items: linked.collect(),
        frame: visit.frame("/", "Overview"),
        client,
        pushes: pushes(days),
        sums,
        facts: Facts::of(&activity, visit.now),
        activity,
    };
    page.frame.answer(&page)
}

async fn postings(visit: Visit, request: HttpRequest) -> Answer {
    let client = visit.client(Scope::READERS)?;
    // Untrimmed, unlike other fields: identifiers are compared byte for byte.
    let mut fields = url::form_urlencoded::parse(request.query_string().as_bytes());
    let Some((_, identifier)) = fields.find(|(name, _)| name == list::ONE) else {
        let here = visit.query().address("");
        return list::page(&visit, &here, Fields::default()).await;
    };
    let identifier = SourceIdentifier::new(&identifier).map_err(|_| Failure::NotFound)?;
    if !client.prefixes.permit(&identifier) {
        return Err(Failure::NotFound);
    }
    let found = visit.stores().postings.find(&identifier).await?;
    let view = found.ok_or(Failure::NotFound)?.seen_by(&client.prefixes);
    show::one(&visit, &view, Fields::default()).await
}

async fn object(visit: Visit, form: Form) -> Answer {
    let client = visit.client(Scope::WRITERS)?;
    let id = form.get("posting").and_then(|id| Uuid::try_parse(id).ok());
    let id = PostingId::new(id.ok_or(Failure::NotFound)?);
    let known = visit.stores().store.load_by_id(&[id]).await?.postings;
    let identifier = known.into_keys().next().ok_or(Failure::NotFound)?;
    if !client.prefixes.permit(&identifier) {
        return Err(Failure::NotFound);
    }
    let done = send_objection(&visit, client, &identifier, &form).await;
    let page = async |refused| {
        let found = visit.stores().postings.find(&identifier).await?;
        let view = found.ok_or(Failure::NotFound)?.seen_by(&client.prefixes);
        show::one(&visit, &view, refused).await
    };
    form.answer(done, page).await
}

async fn send_objection(
    visit: &Visit,
    client: &Client,
    identifier: &SourceIdentifier,
    form: &Form,
) -> Answer {
    let statement = form.read(|fields| {
        let body = json!({"statement": fields.text("statement")}).to_string();
        let statement = parse_objection(body.as_bytes());
        let statement = statement.map_err(|_| "must have 1 to 2000 characters");
        fields.take("statement", statement)
    })?;
    let ports = (&*visit.stores().store, &*visit.stores().postings);
    let attempt = || usecase::object(ports, identifier, &statement, client.id, visit.now);
    decide_again(COMMAND_PATIENCE, attempt).await?;
    let address = Query::default().with(list::PATH, list::ONE, identifier.as_str());
    Ok(visit.lead(&address, "object"))
}
