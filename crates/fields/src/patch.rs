#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Patch<T> {
    /// The field is absent, or has a wrong type.
    #[default]
    Keep,
    /// The field is `null` or blank.
    Clear,
    Set(T),
}

impl<T> Patch<T> {
    pub const fn value(&self) -> Option<&T> {
        match self {
            Self::Set(value) => Some(value),
            _ => None,
        }
    }

    pub fn into_value(self) -> Option<T> {
        match self {
            Self::Set(value) => Some(value),
            _ => None,
        }
    }

    /// Converts the value; [`Self::Keep`] if `convert` returns `None`.
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

    pub fn apply_required(&self, field: &mut T) {
        if let Self::Set(value) = self {
            field.clone_from(value);
        }
    }
}

impl<T: Clone> Patch<Vec<T>> {
    pub fn apply_list(&self, list: &mut Vec<T>) {
        match self {
            Self::Keep => {}
            Self::Clear => list.clear(),
            Self::Set(items) => list.clone_from(items),
        }
    }
}
