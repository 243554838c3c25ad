//! Changes of companies, for the console.

use std::sync::Arc;

use access::Clients;
use adapters_console::CompanyEditor;
use async_trait::async_trait;
use domain::{
    store::Store,
    usecase::{CompanyChange, CompanyError},
};
use kernel::{CompanyId, audit::Attribution};

use crate::command::companies;

/// Changes the companies of a store, as the command does.
pub struct StoreCompanies {
    pub store: Arc<dyn Store>,
    pub clients: Arc<dyn Clients>,
}

#[async_trait]
impl CompanyEditor for StoreCompanies {
    async fn update(
        &self,
        id: CompanyId,
        change: &CompanyChange,
        by: &Attribution,
    ) -> Result<(), CompanyError> {
        companies::change(&*self.store, &*self.clients, id, change, by).await
    }
}
