//! Authentication, limits and faults, before a request reaches an account.

use std::{
    array, future, io,
    net::Ipv4Addr,
    sync::{Arc, Mutex},
    time::Instant,
};

use http_body_util::Full;
use hyper::{
    Request, Response,
    body::Bytes,
    header::{AUTHORIZATION, CONTENT_TYPE, RETRY_AFTER},
};

use super::{
    super::stand_in::Server, Account, Call, Fault, MailerLite, Planned, State,
    account::AccountData, reply::Reply,
};

/// The error that closes a connection without an answer.
type Closed = io::Error;

pub fn start() -> MailerLite {
    let listener = Server::listen((Ipv4Addr::LOCALHOST, 0));
    let url = format!("http://{}/api", listener.local_addr().unwrap());
    let state = Arc::new(Mutex::new(State {
        accounts: [AccountData::new(&url, 0), AccountData::new(&url, 1)],
        faults: array::from_fn(|_| [].into()),
        calls: Vec::new(),
    }));
    let server = Server::start(listener, {
        let state = Arc::clone(&state);
        move |request| serve(Arc::clone(&state), request)
    });
    MailerLite { state, server }
}

async fn serve(
    state: Arc<Mutex<State>>,
    request: Request<Bytes>,
) -> Result<Response<Full<Bytes>>, Closed> {
    let (head, body) = request.into_parts();
    let authorization = head.headers.get(AUTHORIZATION);
    let key = authorization
        .and_then(|value| value.to_str().ok()?.strip_prefix("Bearer "))
        .unwrap_or_default();
    let call = Call {
        account: Account::ALL.into_iter().find(|one| one.key() == key),
        method: head.method.to_string(),
        path: head.uri.to_string(),
        body: serde_json::from_slice(&body).unwrap_or_default(),
        at: Instant::now(),
        status: None,
    };
    let next = state.lock().unwrap().take(call);
    match next {
        Next::Answer(response) => Ok(*response),
        Next::Close => Err(io::Error::other("a fault that was asked for")),
        Next::Hang => future::pending().await,
    }
}

/// The next step for a request.
enum Next {
    Answer(Box<Response<Full<Bytes>>>),
    Close,
    Hang,
}

impl State {
    fn take(&mut self, call: Call) -> Next {
        let (reply, rate) = self.reply(&call);
        let status = reply.as_ref().ok().map(|reply| reply.status);
        self.calls.push(Call { status, ..call });
        match reply {
            Ok(reply) => Next::Answer(Box::new(response(&reply, rate))),
            Err(Fault::WithholdAnswer) => Next::Hang,
            Err(_) => Next::Close,
        }
    }

    /// The answer or the fault, with the account's limit of requests and the remaining number.
    fn reply(&mut self, call: &Call) -> (Result<Reply, Fault>, Option<(usize, usize)>) {
        let Some(account) = call.account else {
            return (Ok(Reply::of_status(401, None)), None);
        };
        let fault = self.next_fault(account, &call.method);
        match fault {
            Some(Fault::Answer(status)) => return (Ok(Reply::of_status(status, None)), None),
            Some(fault @ Fault::Close) => return (Err(fault), None),
            Some(Fault::LoseAnswer | Fault::WithholdAnswer) | None => {}
        }
        let data = &mut self.accounts[account as usize];
        let reply = match data.admit(call.at) {
            Ok(()) => data.answer(call),
            Err(seconds) => Reply::of_status(429, Some(seconds)),
        };
        let rate = (data.limit, data.remaining());
        (fault.map_or(Ok(reply), Err), Some(rate))
    }

    fn next_fault(&mut self, account: Account, method: &str) -> Option<Fault> {
        let planned = &mut self.faults[account as usize];
        let is_meant = |one: &Planned| one.method == method;
        let next = planned.iter().position(is_meant)?;
        planned.remove(next).map(|one| one.fault)
    }
}

fn response(reply: &Reply, rate: Option<(usize, usize)>) -> Response<Full<Bytes>> {
    let mut response = Response::builder().status(reply.status);
    if let Some((limit, remaining)) = rate {
        response = response
            .header("X-RateLimit-Limit", limit)
            .header("X-RateLimit-Remaining", remaining);
    }
    if let Some(seconds) = reply.retry_after {
        response = response.header(RETRY_AFTER, seconds);
    }
    let body = match &reply.body {
        Some(body) => {
            response = response.header(CONTENT_TYPE, "application/json");
            body.to_string()
        }
        None => String::new(),
    };
    response.body(Full::new(body.into())).unwrap()
}
