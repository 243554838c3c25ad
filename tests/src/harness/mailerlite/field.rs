//! The fields of an account.

use serde_json::{Value, json};
use time::{Date, macros::format_description};

use super::{
    account::AccountData,
    reply::{self, Query, Reply},
};

/// Key, name and type of the default fields, followed by those for memberships.
const FIELDS: [(&str, &str, &str); 11] = [
    ("name", "Name", "text"),
    ("last_name", "Last name", "text"),
    ("company", "Company", "text"),
    ("country", "Country", "text"),
    ("city", "City", "text"),
    ("phone", "Phone", "text"),
    ("state", "State", "text"),
    ("z_i_p", "Zip", "text"),
    (
        "membership_plan_category",
        "Membership plan category",
        "text",
    ),
    ("member_status", "Member status", "text"),
    ("membership_expire_at", "Membership expire at", "date"),
];
/// The number of default fields.
const DEFAULT_FIELDS: u64 = 8;

/// A field of the people in an account.
pub struct Field {
    id: u64,
    pub key: String,
    name: String,
    kind: String,
    is_default: bool,
}

impl Field {
    /// The fields of a new account.
    pub fn at_first() -> Vec<Self> {
        let fields = FIELDS.into_iter().zip(1..);
        fields
            .map(|((key, name, kind), id)| Self {
                id,
                key: key.to_owned(),
                name: name.to_owned(),
                kind: kind.to_owned(),
                is_default: id <= DEFAULT_FIELDS,
            })
            .collect()
    }

    /// Whether the field's type permits a value.
    pub fn takes(&self, value: &Value) -> bool {
        let is_date =
            |text: &str| Date::parse(text, format_description!("[year]-[month]-[day]")).is_ok();
        self.kind != "date" || value.is_null() || value.as_str().is_some_and(is_date)
    }

    fn view(&self) -> Value {
        json!({
            "id": self.id.to_string(),
            "name": self.name,
            "key": self.key,
            "type": self.kind,
            "is_default": self.is_default,
        })
    }
}

impl AccountData {
    pub fn create_field(&mut self, name: &str, kind: &str) -> Reply {
        let field = Field {
            id: self.new_id(),
            key: name.to_lowercase().replace(' ', "_"),
            name: name.to_owned(),
            kind: kind.to_owned(),
            is_default: false,
        };
        let reply = Reply::data(201, &field.view());
        self.fields.push(field);
        reply
    }

    pub fn rename_field(&mut self, id: &str, name: &str) -> Reply {
        let mut fields = self.fields.iter_mut();
        let Some(field) = fields.find(|field| field.id.to_string() == id) else {
            return Reply::missing(reply::FIELD, id);
        };
        name.clone_into(&mut field.name);
        Reply::data(200, &field.view())
    }

    pub fn delete_field(&mut self, id: &str) -> Reply {
        let is_meant = |field: &Field| field.id.to_string() == id && !field.is_default;
        let Some(position) = self.fields.iter().position(is_meant) else {
            return Reply::missing(reply::FIELD, id);
        };
        self.fields.remove(position);
        Reply::nothing()
    }

    pub fn fields(&self, query: &Query) -> Reply {
        let mut fields: Vec<_> = self.fields.iter().collect();
        if query.get("sort") == Some("name") {
            fields.sort_by_key(|field| field.name.to_lowercase());
        }
        let view = |field: &&Field| {
            let mut view = field.view();
            view["used_in_automations"] = json!(false);
            view
        };
        let items = fields.iter().map(view).collect();
        reply::numbered_page(&format!("{}/fields", self.url), items, query, 25)
    }

    pub fn field_keys(&self) -> Vec<String> {
        self.fields.iter().map(|field| field.key.clone()).collect()
    }
}
