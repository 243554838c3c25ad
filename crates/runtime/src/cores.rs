//! The division of a machine's cores among the threads of a process.

use std::{num::NonZero, thread};

/// Half of the cores, at least one: one half for the HTTP threads, the other for the work that they
/// wait for. More threads only wake each other.
pub fn half() -> usize {
    thread::available_parallelism()
        .map_or(1, NonZero::get)
        .div_ceil(2)
}
