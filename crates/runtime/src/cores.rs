use std::{num::NonZero, thread};

/// Half of the cores, at least one: the other half serves HTTP. More threads would only compete.
pub fn half() -> usize {
    thread::available_parallelism()
        .map_or(1, NonZero::get)
        .div_ceil(2)
}
