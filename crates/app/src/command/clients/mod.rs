//! `posthaste clients`: manages OAuth clients.

mod create;
mod link;
mod list;
mod named;
mod parts;
mod revoke;
mod rotate;
mod show;
mod update;

pub use self::named::find;
use self::{
    create::Create, link::Link, list::List, revoke::Revoke, rotate::Rotate, show::Show,
    update::Update,
};

commands! {
    /// Manage OAuth clients
    Clients {
        Create(Create),
        List(List),
        Show(Show),
        Update(Update),
        Rotate(Rotate),
        Link(Link),
        Revoke(Revoke),
    }
}
