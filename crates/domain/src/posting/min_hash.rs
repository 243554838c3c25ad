//! `MinHash` signatures of descriptions, to find nearly equal ones.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

/// A signature. The share of equal values in two signatures estimates how much text is common.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct MinHash([u16; MinHash::LENGTH]);

impl MinHash {
    /// The number of values.
    pub const LENGTH: usize = 64;
    /// The stored size in bytes.
    pub const BYTES: usize = 2 * Self::LENGTH;
    /// The least number of equal values for nearly equal texts: about 81 per cent.
    ///
    /// Real copies share 94 to 100 per cent of their text. Other jobs with the same title and place
    /// share at most 70 per cent. With 64 values, one in a hundred such pairs looks like a copy.
    const ALIKE: usize = 52;

    /// Wraps values.
    pub const fn new(values: [u16; Self::LENGTH]) -> Self {
        Self(values)
    }

    /// The values.
    pub const fn values(&self) -> &[u16; Self::LENGTH] {
        &self.0
    }

    /// Whether the two texts are nearly the same.
    pub fn resembles(&self, other: &Self) -> bool {
        let pairs = self.0.iter().zip(&other.0);
        pairs.filter(|(one, other)| one == other).count() >= Self::ALIKE
    }

    /// Reads a stored signature; `None` for bytes of another length.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (pairs, rest) = bytes.as_chunks();
        let pairs = <[_; Self::LENGTH]>::try_from(pairs).ok()?;
        rest.is_empty().then(|| Self(pairs.map(u16::from_le_bytes)))
    }

    /// The signature for a store.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.0.map(u16::to_le_bytes).concat()
    }
}

impl Serialize for MinHash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.as_slice().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for MinHash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let values = Vec::<u16>::deserialize(deserializer)?;
        let values = <[_; Self::LENGTH]>::try_from(values);
        values
            .map(Self)
            .map_err(|_| D::Error::custom("a MinHash has 64 values"))
    }
}

impl fmt::Debug for MinHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MinHash({:04x}…)", self.0[0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_comes_back_from_its_bytes() {
        let mut last = 0;
        let values = [(); MinHash::LENGTH].map(|()| {
            last += 1_001;
            last
        });
        let signature = MinHash::new(values);
        let bytes = signature.to_bytes();
        assert_eq!(bytes.len(), MinHash::BYTES);
        assert_eq!(MinHash::from_bytes(&bytes), Some(signature));
        assert_eq!(MinHash::from_bytes(&bytes[1..]), None);
    }
}
