//! Lists of words beside and within related names.

pub(super) const GROUPS: &str = include_str!("../../tables/related_groups.txt");
/// Beside a product, a brand, an owner or a house of the employer.
pub(super) const OUR: &str = include_str!("../../tables/related_our.txt");
pub(super) const OWN: &str = include_str!("../../tables/related_own.txt");
/// Before a workplace.
pub(super) const HOUSE_FOR: &str = include_str!("../../tables/house_for.txt");
