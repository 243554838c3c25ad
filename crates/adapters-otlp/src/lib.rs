//! Records spans and sends them to a collector, over OTLP with protobuf and HTTP.
//!
//! [`OtlpTracer`] implements the port [`kernel::trace::Tracer`]. The SDK reads its settings from
//! the standard variables; [`Settings::from_env`] refuses the values that it would pass by.

mod client;
mod settings;
mod tracer;

pub use self::{
    settings::{Settings, SettingsError},
    tracer::{OtlpTracer, StartError},
};
