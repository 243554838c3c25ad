//! How a process divides the cores of its machine.

use std::{num::NonZero, thread};

/// Half of the cores, at least one. One half reads requests and writes answers, the other runs
/// what they wait for: more threads than that only wake each other.
pub fn half() -> usize {
    thread::available_parallelism()
        .map_or(1, NonZero::get)
        .div_ceil(2)
}
