//! The upper bound of any service on this HTTP server: it parses the body and answers 200, without
//! tokens, rules or a store. `cargo xtask bench` runs it for comparison.
//!
//! It serves until its standard input ends.
#![expect(
    clippy::print_stdout,
    reason = "whoever starts it reads there where it listens"
)]

use std::{env, io, thread};

use actix_web::{App, HttpResponse, HttpServer, web};
use serde_json::{Value, json};

fn main() -> io::Result<()> {
    let workers = env::var("POSTHASTE_BENCH_WORKERS").ok();
    let workers = workers
        .and_then(|text| text.parse().ok())
        .or_else(|| thread::available_parallelism().ok().map(Into::into))
        .unwrap_or(1);
    actix_web::rt::System::new().block_on(serve(workers))
}

async fn serve(workers: usize) -> io::Result<()> {
    let server = HttpServer::new(|| App::new().default_service(web::put().to(answer)))
        .workers(workers)
        .disable_signals()
        .bind(("127.0.0.1", 0))?;
    for address in server.addrs() {
        println!("listening on http://{address}");
    }
    let server = server.run();
    let handle = server.handle();
    let system = actix_web::rt::System::current();
    thread::spawn(move || {
        let _ = io::copy(&mut io::stdin(), &mut io::sink());
        system
            .arbiter()
            .spawn(async move { handle.stop(false).await });
    });
    server.await
}

async fn answer(body: web::Bytes) -> HttpResponse {
    match serde_json::from_slice::<Value>(&body) {
        Ok(Value::Object(_)) => HttpResponse::Ok().json(json!({
            "data": {"uuid": "01900000-0000-7000-8000-000000000000"}
        })),
        _ => HttpResponse::BadRequest().finish(),
    }
}
