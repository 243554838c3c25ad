//! The guide, the OpenAPI document and Swagger UI. The binary contains all of it.

use std::{borrow::Cow, future, sync::Arc};

use actix_web::{
    HttpRequest, HttpResponse,
    http::header::{
        CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, ContentType, LOCATION,
    },
    web::{self, Bytes},
};
use utoipa_swagger_ui::Config;

use crate::{
    accept::prefers_page,
    answer::{Answer, shared},
    coding::encode,
    error::ApiError,
    etag::conditional,
    guide, manual, openapi,
    resource::open,
};

const OPENAPI_PATH: &str = "/api/openapi.json";

/// The content security policy. Swagger UI needs inline styles and `data:` images.
const POLICY: &str = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
                      base-uri 'self'; form-action 'self'; frame-ancestors 'none'";

pub struct Docs {
    guide: Bytes,
    markdown: Bytes,
    pages: Vec<Bytes>,
    openapi: Bytes,
    line_schema: Bytes,
    ui: Arc<Config<'static>>,
}

impl Docs {
    pub fn new() -> Result<Self, askama::Error> {
        let ui = Config::from(OPENAPI_PATH)
            .use_base_layout()
            .deep_linking(true)
            .display_request_duration(true)
            .default_models_expand_depth(0)
            // By default, Swagger UI sends the document to a validator on the Internet.
            .validator_url("none");
        let documents = openapi().and_then(|document| {
            let line_schema = serde_json::to_vec(&openapi::line_schema(&document))?;
            Ok((serde_json::to_vec(&document)?, line_schema))
        });
        let (openapi, line_schema) =
            documents.map_err(|error| askama::Error::Custom(error.into()))?;
        let pages = manual::PAGES
            .into_iter()
            .map(|it| Ok(manual::page(it)?.into()));
        let pages: Result<_, askama::Error> = pages.collect();
        Ok(Self {
            guide: guide::page()?.into(),
            markdown: guide::markdown()?.into(),
            pages: pages?,
            openapi: openapi.into(),
            line_schema: line_schema.into(),
            ui: Arc::new(ui),
        })
    }
}

pub fn routes(config: &mut web::ServiceConfig) {
    config
        .service(open(OPENAPI_PATH).get(document))
        .service(open("/api/import-line.schema.json").get(line))
        .service(open("/llms.txt").get(for_programs))
        .service(open("/docs.md").get(guide_text))
        .route("/", web::get().to(root))
        .service(open("/docs").get(guide_page))
        .service(open("/docs/").get(guide_page))
        .service(open("/docs/guide.css").get(guide_style))
        .service(open("/docs/copy.js").get(guide_script));
    for (at, (path, _)) in manual::PAGES.into_iter().enumerate() {
        let shown = move |docs: web::Data<Docs>| future::ready(page(docs.pages[at].clone()));
        let path = path.trim_end_matches(".md");
        config.service(open(&format!("/docs/{path}")).get(shown));
    }
    for (path, content) in manual::PAGES.into_iter().chain(manual::FILES) {
        let file = move || future::ready(text(manual::kind(path), content));
        config.service(open(&format!("/docs/{path}")).get(file));
    }
    config
        .service(open("/docs/reference").get(index))
        .service(open("/docs/{file:[^/]*}").get(file));
}

async fn root(request: HttpRequest) -> Answer {
    if !prefers_page(&request) {
        return Err(ApiError::no_such_path());
    }
    let mut response = HttpResponse::Found();
    // The location is relative, so that it also works behind a proxy that adds a path.
    Ok(response.insert_header((LOCATION, "docs")).finish())
}

async fn document(request: HttpRequest, docs: web::Data<Docs>) -> Answer {
    let answer = HttpResponse::Ok()
        .content_type(ContentType::json())
        .body(docs.openapi.clone());
    encode(&request, shared(conditional(&request, answer)?))
}

async fn line(request: HttpRequest, docs: web::Data<Docs>) -> Answer {
    let answer = HttpResponse::Ok()
        .content_type("application/schema+json")
        .body(docs.line_schema.clone());
    encode(&request, shared(conditional(&request, answer)?))
}

async fn for_programs() -> HttpResponse {
    text("text/plain", guide::FOR_PROGRAMS)
}

async fn guide_text(docs: web::Data<Docs>) -> HttpResponse {
    text("text/markdown", docs.markdown.clone())
}

async fn guide_page(docs: web::Data<Docs>) -> HttpResponse {
    page(docs.guide.clone())
}

fn page(body: Bytes) -> HttpResponse {
    let answer = HttpResponse::Ok()
        .content_type("text/html; charset=utf-8")
        .insert_header((CONTENT_SECURITY_POLICY, guide::POLICY))
        .body(body);
    shared(answer)
}

fn text(kind: &str, body: impl Into<Bytes>) -> HttpResponse {
    let answer = HttpResponse::Ok()
        .content_type(format!("{kind}; charset=utf-8"))
        .body(body.into());
    shared(answer)
}

async fn guide_style() -> HttpResponse {
    HttpResponse::Ok()
        .content_type("text/css; charset=utf-8")
        .insert_header((CACHE_CONTROL, "public, max-age=3600"))
        .body(guide::STYLE)
}

async fn guide_script() -> HttpResponse {
    text("text/javascript", guide::SCRIPT)
}

/// The Swagger UI page. Its assets have absolute addresses, so a final slash is not needed.
async fn index(docs: web::Data<Docs>) -> Answer {
    file(String::new().into(), docs).await
}

async fn file(name: web::Path<String>, docs: web::Data<Docs>) -> Answer {
    let name = name.as_str();
    let found = utoipa_swagger_ui::serve(name, Arc::clone(&docs.ui))
        .map_err(|error| ApiError::internal(&error))?;
    let Some(file) = found else {
        return Err(ApiError::no_such_path());
    };
    let is_page = matches!(name, "" | "index.html");
    let bytes = match file.bytes {
        page if is_page => titled(&page).into(),
        Cow::Borrowed(bytes) => Bytes::from_static(bytes),
        Cow::Owned(bytes) => bytes.into(),
    };
    let mut response = HttpResponse::Ok();
    if file.gzpipped {
        response.insert_header((CONTENT_ENCODING, "gzip"));
    }
    let charset = if file.content_type.starts_with("text/") {
        "; charset=utf-8"
    } else {
        ""
    };
    let answer = response
        .content_type(format!("{}{charset}", file.content_type))
        .insert_header((CONTENT_SECURITY_POLICY, POLICY))
        .body(bytes);
    Ok(shared(answer))
}

fn titled(page: &[u8]) -> Vec<u8> {
    let page = String::from_utf8_lossy(page).replace(
        "<title>Swagger UI</title>",
        "<title>Posthaste API</title>\n    \
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n    \
         <base href=\"/docs/\">",
    );
    page.into_bytes()
}
