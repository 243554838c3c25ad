//! Records spans and sends them to a collector, over OTLP with protobuf and HTTP.
//!
//! [`OtlpTracer`] implements the port [`kernel::trace::Tracer`]. The SDK reads the standard
//! environment variables. [`Settings::from_env`] refuses values that the SDK would silently ignore.

mod client;
mod settings;
mod tracer;

pub use self::{
    settings::{Settings, SettingsError},
    tracer::{OtlpTracer, StartError},
};
