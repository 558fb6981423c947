//! What differs between two machines, under common names.

use serde_json::{Map, Value};

/// The names of one arm: what is seen first has the same name on both.
#[derive(Default)]
pub struct Names {
    inodes: Vec<(String, u64)>,
    pids: Vec<u64>,
}

impl Names {
    pub fn new(pids: Vec<u64>) -> Self {
        Self { inodes: Vec::new(), pids }
    }

    /// A reply under common names. What an open descriptor is of may have no
    /// name in the file system.
    pub fn common(&mut self, reply: Value, of_open: bool) -> Value {
        match reply {
            Value::Object(fields) => Value::Object(self.fields(fields, of_open)),
            Value::Array(list) => {
                Value::Array(list.into_iter().map(|it| self.common(it, of_open)).collect())
            }
            other => other,
        }
    }

    fn fields(&mut self, mut fields: Map<String, Value>, of_open: bool) -> Map<String, Value> {
        let kind = fields.get("kind").and_then(Value::as_str).unwrap_or("file").to_owned();
        // A directory's size is the file system's affair, times the machine's.
        if kind == "directory" {
            fields.remove("size");
        }
        for machines in ["mtime", "start_ticks", "ppid", "boot-id", "time"] {
            if let Some(value) = fields.get_mut(machines) {
                *value = Value::Null;
            }
        }
        let mut common = Map::new();
        for (key, value) in fields {
            let value = match (key.as_str(), value.as_u64()) {
                ("ino", Some(ino)) => self.inode(&kind, of_open, ino).into(),
                ("pid", Some(pid)) => self.pid(pid),
                _ => self.common(value, of_open),
            };
            common.insert(key, value);
        }
        common
    }

    /// Sockets and pidfds have inodes of their own; a socket's name has one of
    /// its file system.
    fn inode(&mut self, kind: &str, of_open: bool, ino: u64) -> usize {
        let is_special = of_open && ["process", "socket"].contains(&kind);
        let space = if is_special { kind } else { "file" };
        let known = self.inodes.iter().position(|(of, it)| of == space && *it == ino);
        known.unwrap_or_else(|| {
            self.inodes.push((space.to_owned(), ino));
            self.inodes.len() - 1
        })
    }

    fn pid(&self, pid: u64) -> Value {
        match self.pids.iter().position(|it| *it == pid) {
            Some(who) => format!("process {who}").into(),
            None => pid.into(),
        }
    }
}
