//! The audited actions on clients, and on the sessions of operators and clients' people.

kernel::actions! {
    CLIENTS_CREATE = "clients.create",
    CLIENTS_UPDATE = "clients.update",
    CLIENTS_ROTATE = "clients.rotate",
    CLIENTS_REVOKE = "clients.revoke",
    CLIENTS_LINK = "clients.link",
    CONSOLE_LINK = "console.link",
    CONSOLE_SIGN_IN = "console.sign_in",
    CONSOLE_SIGN_OUT = "console.sign_out",
    INTEGRATION_LINK = "integration.link",
    INTEGRATION_SIGN_IN = "integration.sign_in",
    INTEGRATION_SIGN_OUT = "integration.sign_out",
}
