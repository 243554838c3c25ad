//! The metric of the build.

use metrics::gauge;

runtime::metrics! {
    start start;
    gauge BUILD_INFO in Count = "posthaste_build_info",
        "1, labelled with the version that runs and the commit that it was built from, if known";
}

fn start() {
    gauge!(
        BUILD_INFO,
        "version" => env!("CARGO_PKG_VERSION"),
        "commit" => env!("BUILD_COMMIT"),
    )
    .set(1);
}
