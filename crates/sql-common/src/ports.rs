//! The ports of postings and companies, and how a port that both stores share is told.

/// Implements a port for a store by functions of this crate of the same names.
///
/// A line says how the store runs the work (`query`, `repeatable`, `write` or `transaction`), which
/// function it is, and the method's arguments and answer. What is borrowed of the caller is copied,
/// because the work may outlive the call. Methods that are each store's own stand under `also`.
#[macro_export]
macro_rules! port {
    (impl $port:ident for $store:ty { $($methods:tt)* }) => {
        $crate::port! { @method [$port for $store] [] $($methods)* }
    };
    (@method [$port:ident for $store:ty] [$($done:tt)*] $(also { $($own:tt)* })?) => {
        #[async_trait::async_trait]
        impl $port for $store {
            $($done)*
            $($($own)*)?
        }
    };
    (@method $for:tt $done:tt
        $how:ident $module:ident::$name:ident($($arguments:tt)*) -> $answer:ty; $($rest:tt)*) => {
        $crate::port! {
            @argument $for $done [$how $module $name $answer] [] [] [] [$($arguments)*,] $($rest)*
        }
    };
    (@argument $for:tt $done:tt $method:tt [$($signature:tt)*] [$($keep:tt)*] [$($lend:tt)*]
        [$argument:ident: &$type:ty, $($more:tt)*] $($rest:tt)*) => {
        $crate::port! {
            @argument $for $done $method
            [$($signature)* $argument: &$type,]
            [$($keep)* let $argument = ToOwned::to_owned($argument);]
            [$($lend)* &$argument,]
            [$($more)*] $($rest)*
        }
    };
    (@argument $for:tt $done:tt $method:tt [$($signature:tt)*] [$($keep:tt)*] [$($lend:tt)*]
        [$argument:ident: Option<&$type:ident>, $($more:tt)*] $($rest:tt)*) => {
        $crate::port! {
            @argument $for $done $method
            [$($signature)* $argument: Option<&$type>,]
            [$($keep)* let $argument = $argument.cloned();]
            [$($lend)* $argument.as_ref(),]
            [$($more)*] $($rest)*
        }
    };
    (@argument $for:tt $done:tt $method:tt [$($signature:tt)*] $keep:tt [$($lend:tt)*]
        [$argument:ident: $type:ty, $($more:tt)*] $($rest:tt)*) => {
        $crate::port! {
            @argument $for $done $method
            [$($signature)* $argument: $type,] $keep [$($lend)* $argument,] [$($more)*] $($rest)*
        }
    };
    (@argument $for:tt [$($done:tt)*] [$how:ident $module:ident $name:ident $answer:ty]
        [$($signature:tt)*] [$($keep:tt)*] [$($lend:tt)*] [$(,)?] $($rest:tt)*) => {
        $crate::port! {
            @method $for [
                $($done)*
                async fn $name(&self, $($signature)*) -> Result<$answer, StoreError> {
                    $($keep)*
                    let work = async move |conn: &mut _| {
                        Ok($module::$name(conn, $($lend)*).await?)
                    };
                    self.$how(work).await
                }
            ] $($rest)*
        }
    };
}

/// The ports [`Store`](domain::store::Store), [`PostingReader`](domain::store::PostingReader) and
/// [`CompanyReader`](domain::company::CompanyReader). How a commit is written is each store's own:
/// `commit_postings`.
#[macro_export]
macro_rules! postings {
    ($store:ty) => {
        const _: () = {
            use domain::{
                company::{CompanyReader, CompanyView},
                posting::{
                    PostingView, RepeatAnswer,
                    duplicate::{Candidate, Fingerprint},
                },
                store::{ListQuery, PostingPage, PostingReader, Snapshot, Store, WriteSet},
            };
            use kernel::{ClientId, CompanyId, PostingId, Prefixes, SourceIdentifier, StoreError};
            use std::collections::HashMap;
            use time::OffsetDateTime;
            use $crate::{client, company, duplicate, posting};

            $crate::port! {
                impl Store for $store {
                    query posting::load(
                        identifiers: &[SourceIdentifier], companies: &[CompanyId]
                    ) -> Snapshot;
                    query posting::load_by_id(ids: &[PostingId]) -> Snapshot;
                    query posting::repeat_answers(
                        identifiers: &[SourceIdentifier]
                    ) -> HashMap<SourceIdentifier, RepeatAnswer>;
                    query duplicate::candidates(
                        fingerprints: &[Fingerprint], named: &[PostingId]
                    ) -> Vec<Candidate>;
                    query duplicate::copies(
                        of: &[PostingId], after: Option<PostingId>, limit: usize
                    ) -> Vec<Candidate>;
                    query client::fences(clients: &[ClientId]) -> HashMap<ClientId, Prefixes>;
                    query posting::overdue(
                        now: OffsetDateTime, limit: usize
                    ) -> Vec<SourceIdentifier>;
                    also {
                        async fn commit(&self, writes: WriteSet) -> Result<(), StoreError> {
                            if writes.is_empty() {
                                return Ok(());
                            }
                            self.commit_postings(writes).await
                        }
                    }
                }
            }

            $crate::port! {
                impl PostingReader for $store {
                    query posting::find(identifier: &SourceIdentifier) -> Option<PostingView>;
                    query posting::list(asked: &ListQuery) -> PostingPage;
                }
            }

            $crate::port! {
                impl CompanyReader for $store {
                    query company::companies(after: &str, limit: usize) -> Vec<CompanyView>;
                    query company::company(id: CompanyId) -> Option<CompanyView>;
                }
            }
        };
    };
}
