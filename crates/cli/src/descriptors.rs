//! The limit of open files, and the number of connections that it allows.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// The number of open files for databases, the admin listener, the workers' calls and keys.
const RESERVED: u64 = 256;

/// Returns `asked`, or fewer if the limit of open files is too low. Raises that limit first.
pub fn for_connections(asked: usize) -> usize {
    let Some(limit) = raise() else { return asked };
    let possible = bounded(asked, limit);
    if possible < asked {
        tracing::warn!(
            asked,
            possible,
            open_files = limit,
            "fewer connections are served at a time than POSTHASTE_MAX_CONNECTIONS says; raise \
             the hard limit of open files (nofile)"
        );
    }
    possible
}

/// Raises the limit to the hard limit; `None` without a limit.
fn raise() -> Option<u64> {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum,
        ..limit
    };
    match setrlimit(Resource::Nofile, raised) {
        Ok(()) => limit.maximum,
        Err(error) => {
            tracing::warn!(%error, "the limit of open files cannot be raised");
            limit.current
        }
    }
}

/// At most half of the limit is reserved for other uses.
fn bounded(asked: usize, limit: u64) -> usize {
    let possible = limit - RESERVED.min(limit / 2);
    usize::try_from(possible).map_or(asked, |possible| asked.min(possible))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_leave_descriptors_for_everything_else() {
        for (asked, limit, expect) in [
            (4096, 1_048_576, 4096),
            (4096, 4352, 4096),
            (4096, 4351, 4095),
            (4096, 1024, 768),
            (4096, 256, 128),
            (100, 256, 100),
            (4096, u64::MAX, 4096),
        ] {
            assert_eq!(bounded(asked, limit), expect, "{asked} of {limit}");
        }
    }

    #[test]
    fn the_limit_is_the_hard_one() {
        for_connections(1);
        let limit = getrlimit(Resource::Nofile);
        assert_eq!(limit.current, limit.maximum);
    }
}
