//! `posthaste subscribers`: shows, imports, moves, exports, erases, suppresses and reinstates
//! subscribers.

mod decide;
mod export;
mod import;
mod intake;
mod migrate;
mod reconcile;
mod show;
mod suppressions;

use newsletter::usecase::PersonCommand;

use self::{
    decide::{DecideArgs, Erase, with_reason},
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
        /// See that nothing is sent to an address, in either account
        Suppress(DecideArgs) => with_reason(|reason| PersonCommand::Suppress { reason }),
        /// Let mail be sent to a suppressed person again
        ///
        /// It counts from this moment on: earlier reports of the provider do not count. No account
        /// is changed: people who want mail subscribe there themselves.
        Reinstate(DecideArgs) => with_reason(|reason| PersonCommand::Reinstate { reason }),
        /// Give a subscriber another migration token, when the link with theirs has got about
        ///
        /// From then on the old link is that of an unknown token. `subscribers show --json` and
        /// `subscribers export` have the new one.
        RotateToken(DecideArgs) => with_reason(|reason| PersonCommand::RotateToken { reason }),
        Erase(Erase),
        #[command(subcommand)]
        Suppressions(Suppressions),
    }
}
