//! Style and script. Their names change with their content, so browsers may cache them.

use std::{fmt::Write as _, sync::LazyLock};

use access::sign_in::token_digest;
use actix_web::{
    HttpResponse,
    http::header::{CACHE_CONTROL, X_CONTENT_TYPE_OPTIONS},
    web,
};

const STYLE: &str = include_str!("../assets/style.css");
const SCRIPT: &str = include_str!("../assets/script.js");

static STYLE_PATH: LazyLock<String> = LazyLock::new(|| path("style", STYLE, "css"));
static SCRIPT_PATH: LazyLock<String> = LazyLock::new(|| path("script", SCRIPT, "js"));

fn path(name: &str, content: &str, ending: &str) -> String {
    let mut hash = String::new();
    for byte in &token_digest(content)[..8] {
        _ = write!(hash, "{byte:02x}");
    }
    format!("/assets/{name}-{hash}.{ending}")
}

pub fn style_path() -> &'static str {
    &STYLE_PATH
}

pub fn script_path() -> &'static str {
    &SCRIPT_PATH
}

pub fn routes(config: &mut web::ServiceConfig) {
    config
        .route(
            style_path(),
            web::get().to(async || asset(STYLE, "text/css; charset=utf-8")),
        )
        .route(
            script_path(),
            web::get().to(async || asset(SCRIPT, "text/javascript; charset=utf-8")),
        );
}

fn asset(content: &'static str, kind: &str) -> HttpResponse {
    HttpResponse::Ok()
        .content_type(kind)
        .insert_header((CACHE_CONTROL, "public, max-age=31536000, immutable"))
        .insert_header((X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .body(content)
}
