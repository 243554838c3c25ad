kernel::actions! {
    KEYS_GENERATE = "keys.generate",
    KEYS_RETIRE = "keys.retire",
}
