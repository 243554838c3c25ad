/// Why a posting is refused. A text with several meanings gets the first one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Refusal {
    /// The description says that the position is taken or no longer offered.
    Closed,
    /// The description asks the reader to sign in or to subscribe.
    LoginWall,
    /// The description is an error of a server: JavaScript, access, a puzzle, or a missing page.
    ErrorPage,
    /// The description is empty, a placeholder, the title, or a reference to another place.
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
