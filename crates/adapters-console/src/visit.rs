use std::{any::Any, future::Ready, ops::Deref};

use access::{Client, Scope, Share};
use actix_web::{
    FromRequest, HttpRequest, HttpResponse, dev::Payload, http::header::LOCATION, web,
};
use futures_util::future::LocalBoxFuture;
use kernel::audit::Attribution;
use stores::Stores;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    error::Failure,
    form::{Fields, Form, TOKEN_FIELD, refuse_other_sites},
    page::{Frame, Head},
    query::Query,
    session::{Holder, Session, gate},
    state::{Ports, Site, State},
};

const SEAL: &str = "&seal=";

pub struct Visit {
    request: HttpRequest,
    pub session: Session,
    pub site: web::Data<Site>,
    pub now: OffsetDateTime,
}

impl Visit {
    pub fn of(request: &HttpRequest) -> Result<Self, Failure> {
        let site = request.app_data::<web::Data<Site>>().cloned();
        let site = site.ok_or(Failure::Forbidden)?;
        Ok(Self {
            request: request.clone(),
            session: Session::of(request)?,
            now: site.now(),
            site,
        })
    }

    pub fn ports(&self) -> &Ports {
        &self.site.ports
    }

    pub fn stores(&self) -> &Stores {
        &self.site.ports.stores
    }

    /// The visiting client, which must have one of these scopes.
    pub fn client(&self, scopes: &'static [Scope]) -> Result<&Client, Failure> {
        match &self.session.holder {
            Holder::Client(client) if client.may(scopes) => Ok(client),
            Holder::Client(_) => Err(Failure::Scope(scopes)),
            Holder::Operator(_) => Err(Failure::Forbidden),
        }
    }

    pub fn receiver_call(&self) -> Result<Option<Box<dyn Any>>, Failure> {
        match &self.session.holder {
            Holder::Client(client) => {
                let share = gate(&self.request)?.take(client.id, Share::ReceiverCall)?;
                Ok(Some(share))
            }
            Holder::Operator(_) => Ok(None),
        }
    }

    pub fn attribution(&self) -> Option<Attribution> {
        let Holder::Operator(operator) = self.session.holder.clone() else {
            return None;
        };
        let id = Uuid::now_v7();
        Some(Attribution { id, operator })
    }

    pub fn query(&self) -> Query {
        Query::parse(self.request.query_string())
    }

    pub fn at(&self, path: &str) -> String {
        self.site.place.at(path)
    }

    pub fn frame(&self, at: &'static str, title: impl Into<String>) -> Frame {
        self.frame_of_form(at, title, &Fields::default())
    }

    pub fn frame_of_form(
        &self,
        at: &'static str,
        title: impl Into<String>,
        fields: &Fields,
    ) -> Frame {
        Frame {
            head: Head::at(self.site.place, title),
            who: self.session.holder.name().to_owned(),
            token: self.session.form_token.clone(),
            at,
            notice: None,
            problem: fields.problem(),
            status: fields.status(),
        }
    }

    /// Redirects to a page that reports an action. The address is sealed for the session: another
    /// site's link must not make a page report an action that did not happen.
    pub fn lead(&self, page: &str, action: &str) -> HttpResponse {
        let separator = if page.contains('?') { '&' } else { '?' };
        let address = self.at(&format!("{page}{separator}did={action}"));
        let seal = self.session.seal(&address);
        HttpResponse::SeeOther()
            .insert_header((LOCATION, format!("{address}{SEAL}{seal}")))
            .finish()
    }

    /// The action just done by a form of this session, from the sealed address.
    pub fn done(&self) -> Option<String> {
        let address = self.request.uri().path_and_query()?.as_str();
        let (address, seal) = address.rsplit_once(SEAL)?;
        let is_own = self.session.is_seal(address, seal);
        self.query()
            .get("did")
            .filter(|_| is_own)
            .map(str::to_owned)
    }
}

impl FromRequest for Visit {
    type Error = Failure;
    type Future = Ready<Result<Self, Failure>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        std::future::ready(Self::of(request))
    }
}

/// A form of a session; refused unless a page of the session sent it.
impl FromRequest for Form {
    type Error = Failure;
    type Future = LocalBoxFuture<'static, Result<Self, Failure>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let own = Visit::of(request).and_then(|visit| {
            refuse_other_sites(request, &visit.site)?;
            Ok(visit.session)
        });
        let payload = web::Payload::from_request(request, payload);
        Box::pin(async move {
            let session = own?;
            let payload = payload.await.map_err(|_| Failure::Unreadable)?;
            let form = Self::receive(payload).await?;
            let token = form.get(TOKEN_FIELD).unwrap_or_default();
            if session.is_form_token(token) {
                Ok(form)
            } else {
                Err(Failure::CrossSite)
            }
        })
    }
}

pub struct OperatorVisit {
    visit: Visit,
    pub state: web::Data<State>,
    pub by: Attribution,
}

impl OperatorVisit {
    fn of(request: &HttpRequest) -> Result<Self, Failure> {
        let visit = Visit::of(request)?;
        let state = request.app_data::<web::Data<State>>().cloned();
        Ok(Self {
            by: visit.attribution().ok_or(Failure::Forbidden)?,
            state: state.ok_or(Failure::Forbidden)?,
            visit,
        })
    }
}

impl Deref for OperatorVisit {
    type Target = Visit;

    fn deref(&self) -> &Visit {
        &self.visit
    }
}

impl FromRequest for OperatorVisit {
    type Error = Failure;
    type Future = Ready<Result<Self, Failure>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        std::future::ready(Self::of(request))
    }
}
