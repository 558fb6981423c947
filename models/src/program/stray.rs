use locklab_sys::{Errno, OpenFlags, Sys};
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;
use tracing::debug;

use super::input::absolute_path;
use super::{Parameter, ProgramInfo};
use crate::lock::Foreseen;

/// Leaves a file in a directory, as an indexer, a backup or a network file system does: one
/// that has never heard of locks.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Stray {
    /// The path of the file. Default: `/tmp/.index`.
    #[serde(deserialize_with = "absolute_path")]
    pub path: SmolStr,
}

impl Default for Stray {
    fn default() -> Self {
        Self { path: "/tmp/.index".into() }
    }
}

impl Stray {
    pub(super) const INFO: ProgramInfo = ProgramInfo {
        name: "stray",
        summary: "leaves a file in a directory, if there is one",
        slots: &[],
        own_points: &[],
        parameters: &[Parameter {
            name: "path",
            default: "\"/tmp/.index\"",
            help: "the path of the file",
        }],
    };
}

pub(super) async fn run(sys: Sys, stray: Stray) -> u8 {
    let path = &stray.path;
    let opened = sys.open(path.clone(), OpenFlags::WRONLY | OpenFlags::CREAT).await;
    match opened.unless([Errno::ENOENT, Errno::ENOTDIR], "create", path) {
        Some(fd) => sys.close(fd).await.surely("close", path),
        None => debug!(target: "locklab", "there is no directory for {path}"),
    }
    0
}
