//! The audited actions of operators on signing keys.

kernel::actions! {
    KEYS_GENERATE = "keys.generate",
    KEYS_RETIRE = "keys.retire",
}
