//! Lists of words beside and within related names.

use super::List;

pub(super) static GROUPS: List = List::new(include_str!("../../tables/related_groups.txt"));
pub(super) static OWN: List = List::new(include_str!("../../tables/related_own.txt"));
/// Before a workplace.
pub(super) static HOUSE_FOR: List = List::new(include_str!("../../tables/house_for.txt"));
