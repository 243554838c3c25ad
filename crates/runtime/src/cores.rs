use std::{num::NonZero, thread};

/// Half of the cores, at least one. The other half serves HTTP, so more threads would not help.
pub fn half() -> usize {
    thread::available_parallelism()
        .map_or(1, NonZero::get)
        .div_ceil(2)
}
