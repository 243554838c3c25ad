/// Why a posting is refused. A text with several meanings gets the first one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Refusal {
    /// The title or description says that the position is taken or no longer offered.
    Closed,
    /// The title or description asks the reader to sign in or to subscribe.
    LoginWall,
    /// The title or description is an error of a server: JavaScript, access, a puzzle, or a missing
    /// page.
    ErrorPage,
    /// The description is empty or the title, or one of them is a placeholder or a reference to
    /// another place.
    NoContent,
    /// The description is a menu, a footer or a cookie banner.
    Navigation,
    /// The description consists of links.
    OnlyLinks,
    /// The description is an image.
    OnlyImage,
    /// The posting is a test.
    Test,
}

impl Refusal {
    /// Every reason.
    pub const ALL: [Self; 8] = [
        Self::Closed,
        Self::LoginWall,
        Self::ErrorPage,
        Self::NoContent,
        Self::Navigation,
        Self::OnlyLinks,
        Self::OnlyImage,
        Self::Test,
    ];
}
