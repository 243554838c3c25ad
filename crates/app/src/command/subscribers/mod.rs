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
    /// Show, import and move newsletter subscribers
    Subscribers {
        Show(Show),
        Import(Import),
        Migrate(Migrate),
        Export(Export),
        Reconcile(Reconcile),
        /// Stop all mail to an address, from both accounts
        Suppress(DecideArgs) => with_reason(|reason| PersonCommand::Suppress { reason }),
        /// Allow mail to a suppressed person again
        ///
        /// Earlier reports of the provider no longer count. No account is changed: people who want
        /// mail subscribe there themselves.
        Reinstate(DecideArgs) => with_reason(|reason| PersonCommand::Reinstate { reason }),
        /// Give a subscriber a new migration token, if the present link has leaked
        ///
        /// The token in the old link then becomes unknown. `subscribers show --json` and
        /// `subscribers export` print the new token.
        RotateToken(DecideArgs) => with_reason(|reason| PersonCommand::RotateToken { reason }),
        Erase(Erase),
        #[command(subcommand)]
        Suppressions(Suppressions),
    }
}
