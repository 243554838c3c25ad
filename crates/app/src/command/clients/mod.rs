mod change;
mod named;
mod show;

pub use self::{change::prefixes, named::find as find_client};
use self::{
    change::{Create, Revoke, Rotate, Update},
    show::{Link, List, Show},
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
