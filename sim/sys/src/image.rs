use std::fmt;
use std::hash::{Hash, Hasher};
use std::pin::Pin;
use std::sync::Arc;

use serde::{Serialize, Serializer};
use smol_str::SmolStr;

use crate::Sys;

/// A running program: ends with its exit code.
pub type Program = Pin<Box<dyn Future<Output = u8>>>;

/// What a process executes: a program and the arguments it was given.
///
/// Two images are equal when name and arguments are: the code is a function
/// of the two.
#[derive(Clone)]
pub struct Image {
    name: SmolStr,
    arguments: SmolStr,
    start: Arc<dyn Fn(Sys) -> Program + Send + Sync>,
}

impl Image {
    /// An image of `start`; `arguments` spells out all that `start` captured.
    pub fn new<S, P>(name: impl Into<SmolStr>, arguments: impl Into<SmolStr>, start: S) -> Self
    where
        S: Fn(Sys) -> P + Send + Sync + 'static,
        P: Future<Output = u8> + 'static,
    {
        Self {
            name: name.into(),
            arguments: arguments.into(),
            start: Arc::new(move |sys| Box::pin(start(sys))),
        }
    }

    /// The program's name.
    pub fn name(&self) -> &SmolStr {
        &self.name
    }

    /// The arguments, spelled out.
    pub fn arguments(&self) -> &SmolStr {
        &self.arguments
    }

    /// The program, about to run its first instruction.
    pub fn start(&self, sys: Sys) -> Program {
        (self.start)(sys)
    }
}

impl PartialEq for Image {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.arguments == other.arguments
    }
}

impl Eq for Image {}

impl Hash for Image {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
        self.arguments.hash(state);
    }
}

impl fmt::Debug for Image {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.name, self.arguments)
    }
}

impl Serialize for Image {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.name)
    }
}
