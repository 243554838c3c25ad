//! The tri-state of a field in a merge patch.

/// The change of one field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Patch<T> {
    /// Keep the value: the field is absent, or of another type.
    #[default]
    Keep,
    /// Empty it: the field is `null` or a blank string.
    Clear,
    /// Set the value.
    Set(T),
}

impl<T> Patch<T> {
    /// The value to set, if there is one.
    pub const fn value(&self) -> Option<&T> {
        match self {
            Self::Set(value) => Some(value),
            _ => None,
        }
    }

    /// The value itself, if there is one.
    pub fn into_value(self) -> Option<T> {
        match self {
            Self::Set(value) => Some(value),
            _ => None,
        }
    }

    /// The same with another value, or [`Self::Keep`] where `convert` has none.
    pub fn and_then<U>(self, convert: impl FnOnce(T) -> Option<U>) -> Patch<U> {
        match self {
            Self::Keep => Patch::Keep,
            Self::Clear => Patch::Clear,
            Self::Set(value) => convert(value).map_or(Patch::Keep, Patch::Set),
        }
    }
}

impl<T> From<Option<T>> for Patch<T> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Clear, Self::Set)
    }
}

impl<T: Clone> Patch<T> {
    /// Applies it to an optional field.
    pub fn apply(&self, field: &mut Option<T>) {
        match self {
            Self::Keep => {}
            Self::Clear => *field = None,
            Self::Set(value) => match field {
                Some(field) => field.clone_from(value),
                None => *field = Some(value.clone()),
            },
        }
    }

    /// Applies it to a field that is never empty.
    pub fn apply_required(&self, field: &mut T) {
        if let Self::Set(value) = self {
            field.clone_from(value);
        }
    }
}

impl<T: Clone> Patch<Vec<T>> {
    /// Applies it to a list.
    pub fn apply_list(&self, list: &mut Vec<T>) {
        match self {
            Self::Keep => {}
            Self::Clear => list.clear(),
            Self::Set(items) => list.clone_from(items),
        }
    }
}
