use std::{num::NonZero, thread};

/// Half of the cores, at least one: one half serves HTTP, the other does the work that those
/// threads wait for. More threads would only compete.
pub fn half() -> usize {
    thread::available_parallelism()
        .map_or(1, NonZero::get)
        .div_ceil(2)
}
