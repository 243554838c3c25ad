use clap::{
    Args,
    builder::{PossibleValuesParser, TypedValueParser as _},
};
use domain::posting::Ground;

#[derive(Clone, Copy, Debug, Args)]
pub struct GroundArgs {
    /// The ground of the removal: the terms of the board, or the law
    #[arg(
        long,
        value_name = "GROUND",
        default_value_t,
        value_parser = PossibleValuesParser::new(Ground::NAMES).try_map(|name| {
            Ground::parse(&name).ok_or("unknown")
        })
    )]
    pub ground: Ground,
}
