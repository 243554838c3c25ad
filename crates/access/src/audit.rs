//! The audited actions on clients, and on the sessions of operators and clients' people.

kernel::actions! {
    CLIENTS_CREATE = "clients.create",
    CLIENTS_UPDATE = "clients.update",
    CLIENTS_ROTATE = "clients.rotate",
    CLIENTS_REVOKE = "clients.revoke",
    /// An operator created a link to a client's own pages.
    CLIENTS_LINK = "clients.link",
    /// A link to the console was created.
    CONSOLE_LINK = "console.link",
    CONSOLE_SIGN_IN = "console.sign_in",
    CONSOLE_SIGN_OUT = "console.sign_out",
    /// A client created a link to its own pages with a token.
    INTEGRATION_LINK = "integration.link",
    /// A person signed in to the pages of a client.
    INTEGRATION_SIGN_IN = "integration.sign_in",
    INTEGRATION_SIGN_OUT = "integration.sign_out",
}
