use metrics::gauge;

runtime::metrics! {
    start start;
    gauge BUILD_INFO in Count = "posthaste_build_info",
        "1, with the version and the commit of the program as labels";
}

fn start() {
    gauge!(
        BUILD_INFO,
        "version" => env!("CARGO_PKG_VERSION"),
        "commit" => env!("BUILD_COMMIT"),
    )
    .set(1);
}
