#[macro_export]
macro_rules! as_text {
    ($name:ty, $parse:expr) => {
        impl $crate::serde::Serialize for $name {
            fn serialize<S: $crate::serde::Serializer>(
                &self,
                serializer: S,
            ) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> $crate::serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::serde::Deserializer<'de>>(
                deserializer: D,
            ) -> Result<Self, D::Error> {
                let text: String = $crate::serde::Deserialize::deserialize(deserializer)?;
                let parse: fn(&str) -> Option<Self> = $parse;
                parse(&text).ok_or_else(|| {
                    let message = format!("{text:?} is not a {}", stringify!($name));
                    $crate::serde::de::Error::custom(message)
                })
            }
        }
    };
}
