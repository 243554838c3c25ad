//! The HTTP/1.1 server of Posthaste's listeners, on actix.
//!
//! actix-http sets no time limit for a second head that has begun, for the skipped rest of a
//! refused body, or for a client that does not read its answer. So [`serve`] ends every connection
//! at a deadline. When few places are left, it also closes idle connections, and those that wait
//! for unknown clients.
//!
//! The application calls [`Connection`] when it wants the body of a request. It begins an
//! [`InFlight`] for each request.

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
