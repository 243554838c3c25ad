//! The randomness and the wall clock of this process, which follow from the seed.
//!
//! Hash maps, jitter, new ids and the order in which `select!` polls its branches all draw from the
//! operating system in the end. These definitions take the place of the C library's, as the linker
//! prefers a program's own, so that one seed is one course of events. On systems whose library is
//! asked otherwise, the same seed may take another course.

#![expect(
    unsafe_code,
    reason = "the C library is asked by pointers, and its symbols are replaced"
)]

use std::{
    ffi::{c_int, c_uint, c_void},
    slice,
    sync::atomic::{AtomicU64, Ordering},
};

use rustix::time::{ClockId, Timespec, clock_gettime as monotonic};

/// The state of the generator.
static STATE: AtomicU64 = AtomicU64::new(0);

/// The wall clock: it stands, because the product's clocks are handed to it.
const WALL: i64 = 1_772_366_400;

/// `CLOCK_REALTIME`.
const REALTIME: c_int = 0;

/// Makes all randomness of this process follow from a seed. To be called before anything else.
pub fn follow(seed: u64) {
    STATE.store(mix(seed), Ordering::SeqCst);
}

/// A step of `SplitMix64`.
pub fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    mix(*state)
}

fn mix(mut drawn: u64) -> u64 {
    drawn = (drawn ^ (drawn >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    drawn = (drawn ^ (drawn >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    drawn ^ (drawn >> 31)
}

/// Fills a buffer, as the C library's does from the operating system.
///
/// # Safety
/// The buffer has this length.
#[unsafe(no_mangle)]
unsafe extern "C" fn getrandom(buffer: *mut c_void, length: usize, _: c_uint) -> isize {
    // SAFETY: that is what callers of this function promise.
    let buffer = unsafe { slice::from_raw_parts_mut(buffer.cast::<u8>(), length) };
    for bytes in buffer.chunks_mut(8) {
        let mut state = STATE.fetch_add(0x9E37_79B9_7F4A_7C15, Ordering::SeqCst);
        let drawn = next(&mut state).to_le_bytes();
        bytes.copy_from_slice(&drawn[..bytes.len()]);
    }
    isize::try_from(length).unwrap_or(isize::MAX)
}

/// Tells the time: the wall clock stands, and the others are the kernel's.
///
/// # Safety
/// The pointer is to a time.
#[unsafe(no_mangle)]
unsafe extern "C" fn clock_gettime(clock: c_int, time: *mut Timespec) -> c_int {
    let now = if clock == REALTIME {
        Timespec {
            tv_sec: WALL,
            tv_nsec: 0,
        }
    } else {
        monotonic(ClockId::Monotonic)
    };
    // SAFETY: that is what callers of this function promise.
    unsafe { time.write(now) };
    0
}
