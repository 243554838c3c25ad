mod dead;
mod list;

#[cfg(test)]
mod tests;

pub use self::list::data;
use self::{
    dead::{Dismiss, Retry},
    list::List,
};

commands! {
    /// Show, retry and dismiss side effects that are pending or dead
    Outbox {
        List(List),
        Retry(Retry),
        Dismiss(Dismiss),
    }
}
