use std::collections::BTreeMap;

use locklab_sys::{Call, Errno, Fd, FlockOp, OpenFlags};

use super::Seen;

type Thing = usize;

/// An index into `things`, and how it is open.
struct Opened {
    thing: Thing,
    offset: usize,
    reads: bool,
    writes: bool,
    lock: Option<FlockOp>,
}

/// The file system as one map, and what is open.
pub struct Naive {
    /// Contents; `None` for a directory.
    things: Vec<Option<Vec<u8>>>,
    /// What absolute paths stand for; `/` is the empty one.
    paths: BTreeMap<String, Thing>,
    opened: Vec<Opened>,
    /// For each process, what its descriptors stand for.
    fds: Vec<BTreeMap<u32, usize>>,
}

/// The directory, the last component, and whether a slash follows.
type Place<'p> = (String, &'p str, bool);

impl Naive {
    pub fn new(processes: usize) -> Self {
        let paths = ["", "/run", "/tmp"].map(str::to_owned).into_iter().zip(0..).collect();
        let (opened, fds) = (Vec::new(), vec![BTreeMap::new(); processes]);
        Self { things: vec![None; 3], paths, opened, fds }
    }

    pub fn call(&mut self, process: usize, call: &Call) -> Result<Seen, Errno> {
        match call {
            Call::Open { path, flags, .. } => self.open(process, path, *flags),
            Call::Read { fd, len } => self.read(process, *fd, *len as usize),
            Call::Write { fd, data } => self.write(process, *fd, data),
            Call::Close { fd } => {
                self.fds[process].remove(&fd.0).ok_or(Errno::EBADF)?;
                Ok(Seen::Nothing)
            }
            Call::Stat { path } => {
                let path = self.resolve(path)?;
                Ok(self.stat(self.paths[&path]))
            }
            Call::Fstat { fd } => Ok(self.stat(self.opened[self.at(process, *fd)?].thing)),
            Call::Link { old, new } => self.link(old, new),
            Call::Rename { old, new } => self.rename(old, new),
            Call::Unlink { path } => self.unlink(path),
            Call::Mkdir { path, .. } => self.mkdir(path),
            Call::Rmdir { path } => self.rmdir(path),
            Call::Readdir { fd } => self.readdir(process, *fd),
            Call::Flock { fd, op } => self.flock(process, *fd, *op),
            Call::Spawn { keep, .. } => {
                let kept = keep.iter().map(|fd| Ok((fd.0, self.at(process, *fd)?)));
                let kept = kept.collect::<Result<_, _>>()?;
                self.fds.push(kept);
                Ok(Seen::Nothing)
            }
            other => panic!("{other} is not on files"),
        }
    }

    fn at(&self, process: usize, fd: Fd) -> Result<usize, Errno> {
        self.fds[process].get(&fd.0).copied().ok_or(Errno::EBADF)
    }

    fn is_dir(&self, path: &str) -> bool {
        self.paths.get(path).is_some_and(|&thing| self.things[thing].is_none())
    }

    fn dir(&self, path: String) -> Result<String, Errno> {
        match self.paths.get(&path) {
            None => Err(Errno::ENOENT),
            Some(_) if self.is_dir(&path) => Ok(path),
            Some(_) => Err(Errno::ENOTDIR),
        }
    }

    fn walk<'p>(&self, path: &'p str) -> Result<Place<'p>, Errno> {
        if path.is_empty() {
            return Err(Errno::ENOENT);
        }
        let mut names: Vec<&str> = path.split('/').filter(|name| !name.is_empty()).collect();
        let last = names.pop().unwrap_or("/");
        let mut dir = String::new();
        for name in names {
            dir = self.dir(join(&dir, name))?;
        }
        Ok((dir, last, path.ends_with('/')))
    }

    fn resolve(&self, path: &str) -> Result<String, Errno> {
        let (dir, last, slash) = self.walk(path)?;
        let path = join(&dir, last);
        if slash {
            return self.dir(path);
        }
        if self.paths.contains_key(&path) { Ok(path) } else { Err(Errno::ENOENT) }
    }

    fn open(&mut self, process: usize, path: &str, flags: OpenFlags) -> Result<Seen, Errno> {
        let has = |flag| flags.contains(flag);
        if has(OpenFlags::CREAT) && has(OpenFlags::DIRECTORY) {
            return Err(Errno::EINVAL);
        }
        let (dir, last, slash) = self.walk(path)?;
        if has(OpenFlags::CREAT) && slash && is_name(last) {
            return Err(Errno::EISDIR);
        }
        let full = join(&dir, last);
        if has(OpenFlags::CREAT) {
            if self.paths.contains_key(&full) && has(OpenFlags::EXCL) {
                return Err(Errno::EEXIST);
            }
            if self.is_dir(&full) {
                return Err(Errno::EISDIR);
            }
            let new = self.things.len();
            if *self.paths.entry(full.clone()).or_insert(new) == new {
                self.things.push(Some(Vec::new()));
            }
        }
        self.resolve(path)?;
        let thing = self.paths[&full];
        match &mut self.things[thing] {
            None if flags.writes() || has(OpenFlags::TRUNC) => return Err(Errno::EISDIR),
            Some(_) if has(OpenFlags::DIRECTORY) => return Err(Errno::ENOTDIR),
            Some(data) if has(OpenFlags::TRUNC) => data.clear(),
            _ => {}
        }
        let (reads, writes) = (flags.reads(), flags.writes());
        self.opened.push(Opened { thing, offset: 0, reads, writes, lock: None });
        let fd = (3..).find(|fd| !self.fds[process].contains_key(fd)).unwrap();
        self.fds[process].insert(fd, self.opened.len() - 1);
        Ok(Seen::Fd(fd))
    }

    fn read(&mut self, process: usize, fd: Fd, len: usize) -> Result<Seen, Errno> {
        let at = self.at(process, fd)?;
        let opened = &mut self.opened[at];
        if !opened.reads {
            return Err(Errno::EBADF);
        }
        let data = self.things[opened.thing].as_ref().ok_or(Errno::EISDIR)?;
        let bytes: Vec<u8> = data.iter().skip(opened.offset).take(len).copied().collect();
        opened.offset += bytes.len();
        Ok(Seen::Bytes(bytes))
    }

    fn write(&mut self, process: usize, fd: Fd, bytes: &[u8]) -> Result<Seen, Errno> {
        let at = self.at(process, fd)?;
        let opened = &mut self.opened[at];
        if !opened.writes {
            return Err(Errno::EBADF);
        }
        let data = self.things[opened.thing].as_mut().unwrap();
        for &byte in bytes {
            while data.len() <= opened.offset {
                data.push(0);
            }
            data[opened.offset] = byte;
            opened.offset += 1;
        }
        Ok(Seen::Len(bytes.len() as u32))
    }

    fn stat(&self, thing: Thing) -> Seen {
        let names: Vec<&String> =
            self.paths.iter().filter(|&(_, &other)| other == thing).map(|(path, _)| path).collect();
        let nlink = match (&self.things[thing], names.first()) {
            (Some(_), _) => names.len(),
            (None, None) => 0,
            (None, Some(dir)) => {
                2 + self.paths.keys().filter(|path| is_in(path, dir) && self.is_dir(path)).count()
            }
        };
        let size = self.things[thing].as_ref().map_or(4096, Vec::len);
        Seen::Stat { is_dir: self.things[thing].is_none(), nlink, size }
    }

    fn link(&mut self, old: &str, new: &str) -> Result<Seen, Errno> {
        let old = self.resolve(old)?;
        let new = self.free_name(new, false)?;
        if self.is_dir(&old) {
            return Err(Errno::EPERM);
        }
        self.paths.insert(new, self.paths[&old]);
        Ok(Seen::Nothing)
    }

    fn mkdir(&mut self, path: &str) -> Result<Seen, Errno> {
        let path = self.free_name(path, true)?;
        self.paths.insert(path, self.things.len());
        self.things.push(None);
        Ok(Seen::Nothing)
    }

    /// Where something can be created; a slash may follow only in `mkdir`.
    fn free_name(&self, path: &str, is_mkdir: bool) -> Result<String, Errno> {
        let (dir, last, slash) = self.walk(path)?;
        let path = join(&dir, last);
        match self.paths.contains_key(&path) {
            true => Err(Errno::EEXIST),
            false if slash && !is_mkdir => Err(Errno::ENOENT),
            false => Ok(path),
        }
    }

    fn rename(&mut self, old: &str, new: &str) -> Result<Seen, Errno> {
        let (old_dir, old_last, old_slash) = self.walk(old)?;
        let (new_dir, new_last, new_slash) = self.walk(new)?;
        if !is_name(old_last) || !is_name(new_last) {
            return Err(Errno::EBUSY);
        }
        let (old, new) = (join(&old_dir, old_last), join(&new_dir, new_last));
        let thing = *self.paths.get(&old).ok_or(Errno::ENOENT)?;
        let is_dir = self.is_dir(&old);
        if !is_dir && (old_slash || new_slash) {
            return Err(Errno::ENOTDIR);
        }
        if new.starts_with(&format!("{old}/")) {
            return Err(Errno::EINVAL);
        }
        if old.starts_with(&format!("{new}/")) {
            return Err(Errno::ENOTEMPTY);
        }
        if let Some(&target) = self.paths.get(&new) {
            if target == thing {
                return Ok(Seen::Nothing);
            }
            match (is_dir, self.is_dir(&new)) {
                (true, false) => return Err(Errno::ENOTDIR),
                (false, true) => return Err(Errno::EISDIR),
                _ => {}
            }
        }
        if is_boot_directory(&old) || is_boot_directory(&new) {
            return Err(Errno::EBUSY);
        }
        if self.paths.keys().any(|path| is_in(path, &new)) {
            return Err(Errno::ENOTEMPTY);
        }
        for (path, thing) in self.paths.clone() {
            if path == old || path.starts_with(&format!("{old}/")) {
                self.paths.remove(&path);
                self.paths.insert(format!("{new}{}", &path[old.len()..]), thing);
            }
        }
        Ok(Seen::Nothing)
    }

    fn unlink(&mut self, path: &str) -> Result<Seen, Errno> {
        let (dir, last, slash) = self.walk(path)?;
        let path = join(&dir, last);
        match self.paths.get(&path) {
            None => Err(Errno::ENOENT),
            Some(_) if self.is_dir(&path) => Err(Errno::EISDIR),
            Some(_) if slash => Err(Errno::ENOTDIR),
            Some(_) => {
                self.paths.remove(&path);
                Ok(Seen::Nothing)
            }
        }
    }

    fn rmdir(&mut self, path: &str) -> Result<Seen, Errno> {
        let (dir, last, _) = self.walk(path)?;
        match last {
            "/" => return Err(Errno::EBUSY),
            "." => return Err(Errno::EINVAL),
            ".." => return Err(Errno::ENOTEMPTY),
            _ => {}
        }
        let path = self.dir(join(&dir, last))?;
        if is_boot_directory(&path) {
            return Err(Errno::EBUSY);
        }
        if self.paths.keys().any(|inner| is_in(inner, &path)) {
            return Err(Errno::ENOTEMPTY);
        }
        self.paths.remove(&path);
        Ok(Seen::Nothing)
    }

    fn readdir(&self, process: usize, fd: Fd) -> Result<Seen, Errno> {
        let thing = self.opened[self.at(process, fd)?].thing;
        if self.things[thing].is_some() {
            return Err(Errno::ENOTDIR);
        }
        let (dir, _) =
            self.paths.iter().find(|&(_, &other)| other == thing).ok_or(Errno::ENOENT)?;
        let inside = self.paths.keys().filter(|path| is_in(path, dir));
        Ok(Seen::Names(inside.map(|path| path[dir.len() + 1..].to_owned()).collect()))
    }

    fn flock(&mut self, process: usize, fd: Fd, op: FlockOp) -> Result<Seen, Errno> {
        let at = self.at(process, fd)?;
        if op == FlockOp::Unlock {
            self.opened[at].lock = None;
            return Ok(Seen::Nothing);
        }
        if self.opened[at].lock == Some(op) {
            return Ok(Seen::Nothing);
        }
        self.opened[at].lock = None;
        let is_held = |other: &usize| self.fds.iter().any(|fds| fds.values().any(|at| at == other));
        let others = (0..self.opened.len()).filter(|&other| other != at).filter(is_held);
        let mut beside = others
            .filter(|&other| self.opened[other].thing == self.opened[at].thing)
            .filter_map(|other| self.opened[other].lock);
        if beside.any(|held| held == FlockOp::TryExclusive || op == FlockOp::TryExclusive) {
            return Err(Errno::EAGAIN);
        }
        self.opened[at].lock = Some(op);
        Ok(Seen::Nothing)
    }
}

fn join(dir: &str, last: &str) -> String {
    match last {
        "/" => String::new(),
        "." => dir.to_owned(),
        ".." => dir.rsplit_once('/').map_or("", |(above, _)| above).to_owned(),
        name => format!("{dir}/{name}"),
    }
}

fn is_name(last: &str) -> bool {
    !matches!(last, "/" | "." | "..")
}

fn is_boot_directory(path: &str) -> bool {
    matches!(path, "/run" | "/tmp")
}

/// Whether a path is directly in a directory.
fn is_in(path: &str, dir: &str) -> bool {
    path.rsplit_once('/').is_some_and(|(above, _)| above == dir)
}
