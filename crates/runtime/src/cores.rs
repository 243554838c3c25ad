use std::{num::NonZero, thread};

/// Half of the cores, rounded up. HTTP and other work each use this many threads.
pub fn half() -> usize {
    thread::available_parallelism()
        .map_or(1, NonZero::get)
        .div_ceil(2)
}
