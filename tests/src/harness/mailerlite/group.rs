//! The groups of an account.

use serde_json::{Value, json};

use super::{
    account::AccountData,
    reply::{self, Query, Reply, now},
};

/// A group of people, with an automation that starts when a person joins.
pub struct Group {
    pub id: u64,
    name: String,
    created_at: String,
}

impl AccountData {
    pub fn first_group(&self) -> u64 {
        self.groups[0].id
    }

    pub fn create_group(&mut self, name: &str) -> Reply {
        let id = self.new_id();
        let group = Group {
            id,
            name: name.to_owned(),
            created_at: now(),
        };
        let reply = Reply::data(201, &self.group_view(&group));
        self.groups.push(group);
        reply
    }

    pub fn rename_group(&mut self, id: &str, name: &str) -> Reply {
        let mut groups = self.groups.iter_mut();
        match groups.find(|group| group.id.to_string() == id) {
            Some(group) => name.clone_into(&mut group.name),
            None => return Reply::missing(reply::GROUP, id),
        }
        self.assigned(id)
    }

    pub fn delete_group(&mut self, id: &str) -> Reply {
        let Some(id) = self.group(id).map(|group| group.id) else {
            return Reply::missing(reply::GROUP, id);
        };
        self.groups.retain(|group| group.id != id);
        for one in &mut self.subscribers {
            one.groups.remove(&id);
        }
        Reply::nothing()
    }

    pub fn groups(&self, query: &Query) -> Reply {
        let mut groups: Vec<_> = self.groups.iter().collect();
        if query.get("sort") == Some("name") {
            groups.sort_by_key(|group| group.name.to_lowercase());
        }
        let items = groups.iter().map(|group| self.group_view(group)).collect();
        reply::numbered_page(&format!("{}/groups", self.url), items, query, 25)
    }

    /// Adds a person to a group, or removes them.
    pub fn assign(&mut self, id: &str, group: &str, joins: bool) -> Reply {
        let Some(position) = self.position(id) else {
            return Reply::missing(reply::SUBSCRIBER, id);
        };
        let Some(group) = self.group(group).map(|group| group.id) else {
            return Reply::missing(reply::GROUP, group);
        };
        let one = &mut self.subscribers[position];
        if joins {
            one.join(group);
            return self.assigned(&group.to_string());
        }
        one.groups.remove(&group);
        Reply::nothing()
    }

    fn assigned(&self, group: &str) -> Reply {
        match self.group(group) {
            Some(group) => Reply::data(200, &self.group_view(group)),
            None => Reply::missing(reply::GROUP, group),
        }
    }

    pub fn group(&self, id: &str) -> Option<&Group> {
        self.groups.iter().find(|group| group.id.to_string() == id)
    }

    pub fn group_view(&self, group: &Group) -> Value {
        let members = |status: &str| {
            let members = self.present().filter(|one| one.groups.contains(&group.id));
            members.filter(|one| one.status() == status).count()
        };
        let rate = json!({"float": 0, "string": "0%"});
        json!({
            "id": group.id.to_string(),
            "name": group.name,
            "active_count": members("active"),
            "sent_count": 0,
            "opens_count": 0,
            "open_rate": rate,
            "clicks_count": 0,
            "click_rate": rate,
            "unsubscribed_count": members("unsubscribed"),
            "unconfirmed_count": members("unconfirmed"),
            "bounced_count": members("bounced"),
            "junk_count": members("junk"),
            "created_at": group.created_at,
        })
    }
}
