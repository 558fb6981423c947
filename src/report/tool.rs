use serde::Serialize;

use crate::line::VERSION;

/// What wrote a report, for programs.
#[derive(Clone, Copy, Serialize)]
pub(crate) struct Tool {
    name: &'static str,
    version: &'static str,
}

impl Tool {
    pub(crate) const THIS: Self = Self { name: "locklab", version: VERSION };
}
