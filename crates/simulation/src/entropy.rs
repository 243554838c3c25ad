//! The randomness and wall clock of this process, which follow from the seed.
//!
//! Hash maps, jitter, new ids and the order of `select!` all draw from the operating system. The
//! linker prefers these definitions to those of the C library, so a seed always gives the same run.
//! On systems with other library calls, the same seed may give another run.

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

static STATE: AtomicU64 = AtomicU64::new(0);

/// The wall clock in seconds. It does not advance, because the product's clocks are passed in.
const WALL: i64 = 1_772_366_400;

const REALTIME: c_int = 0;

/// Must be called before anything else.
pub fn follow(seed: u64) {
    STATE.store(mix(seed), Ordering::SeqCst);
}

pub fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    mix(*state)
}

fn mix(mut drawn: u64) -> u64 {
    drawn = (drawn ^ (drawn >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    drawn = (drawn ^ (drawn >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    drawn ^ (drawn >> 31)
}

/// Replaces the function of the C library.
///
/// # Safety
/// The buffer has this length.
#[unsafe(no_mangle)]
unsafe extern "C" fn getrandom(buffer: *mut c_void, length: usize, _: c_uint) -> isize {
    // SAFETY: callers guarantee the length.
    let buffer = unsafe { slice::from_raw_parts_mut(buffer.cast::<u8>(), length) };
    for bytes in buffer.chunks_mut(8) {
        let mut state = STATE.fetch_add(0x9E37_79B9_7F4A_7C15, Ordering::SeqCst);
        let drawn = next(&mut state).to_le_bytes();
        bytes.copy_from_slice(&drawn[..bytes.len()]);
    }
    isize::try_from(length).unwrap_or(isize::MAX)
}

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
    // SAFETY: callers guarantee the pointer.
    unsafe { time.write(now) };
    0
}
