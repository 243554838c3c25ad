//! `posthaste subscribers`: lets an operator show, import, move, export, erase, suppress and
//! reinstate newsletter subscribers.
//!
//! - [`intake`] imports CSV files for [`import`] and [`suppressions`]; [`records`] parses their
//!   records.

mod decide;
mod export;
mod import;
mod intake;
mod migrate;
mod reconcile;
mod show;
mod suppressions;

use self::{
    decide::{Erase, Reinstate, RotateToken, Suppress},
    export::Export,
    import::Import,
    migrate::Migrate,
    reconcile::Reconcile,
    show::Show,
    suppressions::Suppressions,
};

commands! {
    /// Look at newsletter subscribers, take them in and move them
    Subscribers {
        Show(Show),
        Import(Import),
        Migrate(Migrate),
        Export(Export),
        Reconcile(Reconcile),
        Suppress(Suppress),
        Reinstate(Reinstate),
        RotateToken(RotateToken),
        Erase(Erase),
        #[command(subcommand)]
        Suppressions(Suppressions),
    }
}
