pub(super) const PATH: &str = "/companies";
pub(super) const CLIENTS: usize = 200;
