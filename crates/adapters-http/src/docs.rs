//! The documentation: the guide, the OpenAPI document and Swagger UI, all of it in the binary.

use std::{borrow::Cow, sync::Arc};

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
    guide, openapi,
    resource::open,
};

const OPENAPI_PATH: &str = "/api/openapi.json";

/// The content security policy. Nothing is loaded from other sites; Swagger UI needs inline styles
/// and `data:` images.
const POLICY: &str = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
                      base-uri 'self'; form-action 'self'; frame-ancestors 'none'";

/// The documents to serve, rendered once.
pub struct Docs {
    guide: Bytes,
    openapi: Bytes,
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
        let openapi = openapi().and_then(|document| serde_json::to_vec(&document));
        let openapi = openapi.map_err(|error| askama::Error::Custom(error.into()))?;
        Ok(Self {
            guide: guide::page()?.into(),
            openapi: openapi.into(),
            ui: Arc::new(ui),
        })
    }
}

/// `GET /api/openapi.json`, the guide at `/docs` with the way there from `/`, and Swagger UI at
/// `/docs/reference`.
pub fn routes(config: &mut web::ServiceConfig) {
    config
        .service(open(OPENAPI_PATH).get(document))
        .route("/", web::get().to(root))
        .service(open("/docs").get(guide_page))
        .service(open("/docs/").get(guide_page))
        .service(open("/docs/guide.css").get(guide_style))
        .service(open("/docs/reference").get(index))
        .service(open("/docs/{file:[^/]*}").get(file));
}

/// Leads a browser from the address of the service to its documentation.
async fn root(request: HttpRequest) -> Answer {
    if !prefers_page(&request) {
        return Err(ApiError::no_such_path());
    }
    let mut response = HttpResponse::Found();
    // Relative, so that it holds behind a proxy that adds a path.
    Ok(response.insert_header((LOCATION, "docs")).finish())
}

async fn document(request: HttpRequest, docs: web::Data<Docs>) -> Answer {
    let answer = HttpResponse::Ok()
        .content_type(ContentType::json())
        .body(docs.openapi.clone());
    encode(&request, shared(conditional(&request, answer)?))
}

async fn guide_page(docs: web::Data<Docs>) -> HttpResponse {
    let answer = HttpResponse::Ok()
        .content_type("text/html; charset=utf-8")
        .insert_header((CONTENT_SECURITY_POLICY, guide::POLICY))
        .body(docs.guide.clone());
    shared(answer)
}

async fn guide_style() -> HttpResponse {
    HttpResponse::Ok()
        .content_type("text/css; charset=utf-8")
        .insert_header((CACHE_CONTROL, "public, max-age=3600"))
        .body(guide::STYLE)
}

/// The Swagger UI page, with absolute asset addresses, which also work without a slash at the end
/// of its own address.
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
