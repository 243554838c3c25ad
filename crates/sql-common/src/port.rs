/// Implements ports for a store, with the functions of the same names in this crate.
///
/// A line gives the kind of work (`query`, `repeatable`, `write` or `transaction`), the function,
/// and the method's arguments and answer. Borrowed arguments are copied, because the work may
/// outlive the call. Methods of the store itself follow `also`.
#[macro_export]
macro_rules! port {
    ($(impl $port:ident for $store:ty { $($methods:tt)* })+) => {
        $($crate::port! { @method [$port for $store] [] $($methods)* })+
    };
    (@method [$port:ident for $store:ty] [$($done:tt)*] $(also { $($own:tt)* })?) => {
        #[async_trait::async_trait]
        impl $port for $store {
            $($done)*
            $($($own)*)?
        }
    };
    (@method $for:tt $done:tt
        $how:ident $module:ident::$name:ident($($arguments:tt)*) -> $answer:ty; $($rest:tt)*) => {
        $crate::port! {
            @argument $for $done [$how $module $name $answer] [] [] [] [$($arguments)*,] $($rest)*
        }
    };
    (@argument $for:tt $done:tt $method:tt [$($signature:tt)*] [$($keep:tt)*] [$($lend:tt)*]
        [$argument:ident: &$type:ty, $($more:tt)*] $($rest:tt)*) => {
        $crate::port! {
            @argument $for $done $method
            [$($signature)* $argument: &$type,]
            [$($keep)* let $argument = ToOwned::to_owned($argument);]
            [$($lend)* &$argument,]
            [$($more)*] $($rest)*
        }
    };
    (@argument $for:tt $done:tt $method:tt [$($signature:tt)*] [$($keep:tt)*] [$($lend:tt)*]
        [$argument:ident: Option<&$type:ident>, $($more:tt)*] $($rest:tt)*) => {
        $crate::port! {
            @argument $for $done $method
            [$($signature)* $argument: Option<&$type>,]
            [$($keep)* let $argument = $argument.cloned();]
            [$($lend)* $argument.as_ref(),]
            [$($more)*] $($rest)*
        }
    };
    (@argument $for:tt $done:tt $method:tt [$($signature:tt)*] $keep:tt [$($lend:tt)*]
        [$argument:ident: $type:ty, $($more:tt)*] $($rest:tt)*) => {
        $crate::port! {
            @argument $for $done $method
            [$($signature)* $argument: $type,] $keep [$($lend)* $argument,] [$($more)*] $($rest)*
        }
    };
    (@argument $for:tt [$($done:tt)*] [$how:ident $module:ident $name:ident $answer:ty]
        [$($signature:tt)*] [$($keep:tt)*] [$($lend:tt)*] [$(,)?] $($rest:tt)*) => {
        $crate::port! {
            @method $for [
                $($done)*
                async fn $name(&self, $($signature)*) -> Result<$answer, StoreError> {
                    $($keep)*
                    let work = async move |conn: &mut _| $module::$name(conn, $($lend)*).await;
                    self.$how(work).await
                }
            ] $($rest)*
        }
    };
}
