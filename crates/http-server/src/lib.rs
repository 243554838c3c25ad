//! The HTTP/1.1 server of Posthaste's listeners, on actix.
//!
//! actix-http limits the time for the head of a connection's first request and the idle time
//! between two requests. It does not limit a second head once it has begun, the skipped rest of a
//! refused body, or a client that does not read its answer. So [`serve`] wraps every connection in
//! a stream that ends it at a deadline. When few places are left, it also closes connections that
//! are idle or wait for unknown clients.
//!
//! The application calls [`Connection`] when it wants the body of a request. It begins an
//! [`InFlight`] for each request, which also reads the rest of a refused body.

mod connection;
mod early;
mod in_flight;
mod places;
mod request_id;
mod server;
mod stream;

pub use self::{
    connection::{Connection, Timeouts},
    in_flight::{InFlight, PIECE, content_length},
    request_id::{RequestId, X_REQUEST_ID},
    server::{ServerSettings, listen, serve},
};
