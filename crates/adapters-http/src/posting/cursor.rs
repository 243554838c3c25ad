//! A cursor is the base64url of a version byte, the time in microseconds, and the id, in network
//! byte order. It is opaque so that its format can change, and contains no secret.

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use domain::store::Position;
use time::OffsetDateTime;
use uuid::Uuid;

const VERSION: u8 = 1;
const LENGTH: usize = 1 + 8 + 16;

pub fn encode(position: Position) -> String {
    // This always fits, because times in a store have microseconds and four-digit years.
    let micros = i64::try_from(position.updated_at.unix_timestamp_nanos() / 1_000);
    let mut bytes = Vec::with_capacity(LENGTH);
    bytes.push(VERSION);
    bytes.extend(micros.unwrap_or(i64::MAX).to_be_bytes());
    bytes.extend(position.id.as_bytes());
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}

pub fn decode(text: &str) -> Option<Position> {
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(text).ok()?;
    let (version, rest) = bytes.split_first()?;
    let (micros, id) = rest.split_first_chunk::<8>()?;
    if *version != VERSION {
        return None;
    }
    let nanos = i128::from(i64::from_be_bytes(*micros)) * 1_000;
    Some(Position {
        updated_at: OffsetDateTime::from_unix_timestamp_nanos(nanos).ok()?,
        id: Uuid::from_slice(id).ok()?,
    })
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    #[test]
    fn a_position_comes_back() {
        for updated_at in [
            datetime!(2026-05-04 03:02:01.123456 UTC),
            datetime!(1969-12-31 23:59:59.999999 UTC),
            datetime!(9999-12-31 23:59:59.999999 UTC),
        ] {
            let position = Position {
                updated_at,
                id: Uuid::from_u128(7),
            };
            assert_eq!(decode(&encode(position)), Some(position));
        }
    }

    #[test]
    fn anything_else_is_refused() {
        let good = encode(Position {
            updated_at: OffsetDateTime::UNIX_EPOCH,
            id: Uuid::nil(),
        });
        let mut other_version = BASE64_URL_SAFE_NO_PAD.decode(&good).unwrap();
        other_version[0] = 2;
        let out_of_range = [&[VERSION][..], &i64::MAX.to_be_bytes(), &[0; 16]].concat();
        for bad in [
            "",
            "x",
            "not base64!",
            &good[..good.len() - 2],
            &format!("{good}AA"),
            &BASE64_URL_SAFE_NO_PAD.encode(other_version),
            &BASE64_URL_SAFE_NO_PAD.encode(out_of_range),
        ] {
            assert_eq!(decode(bad), None, "{bad}");
        }
    }
}
