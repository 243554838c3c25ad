/// Declares metrics: the name of each as a constant, and a function that describes them all to the
/// recorder. The calling crate must depend on the crate `metrics`.
///
/// ```text
/// runtime::metrics! {
///     pub fn describe;
///
///     gauge AGE in Seconds = "posthaste_age_seconds",
///         "The age of something";
/// }
/// ```
#[macro_export]
macro_rules! metrics {
    (@counter $name:ident, $unit:ident, $help:literal) => {
        ::metrics::describe_counter!($name, ::metrics::Unit::$unit, $help);
    };
    (@gauge $name:ident, $unit:ident, $help:literal) => {
        ::metrics::describe_gauge!($name, ::metrics::Unit::$unit, $help);
    };
    (@histogram $name:ident, $unit:ident, $help:literal) => {
        ::metrics::describe_histogram!($name, ::metrics::Unit::$unit, $help);
    };
    ($vis:vis fn $describe:ident; $(
        $(#[$doc:meta])* $name_vis:vis $kind:ident $name:ident in $unit:ident = $text:literal,
            $help:literal;
    )+) => {
        $($(#[$doc])* $name_vis const $name: &str = $text;)+

        $vis fn $describe() {
            $($crate::metrics! { @$kind $name, $unit, $help })+
        }
    };
}
