use serde::{Deserialize, Serialize};

/// A part's choices, each with the word that stands for it in files.
pub trait Choice: Copy + Ord + 'static {
    /// Every choice.
    const ALL: &'static [Self];

    /// The word that stands for it.
    fn word(self) -> &'static str;

    /// The choice that `word` stands for.
    fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|choice| choice.word() == word)
    }
}

macro_rules! choices {
    ($($(#[$doc:meta])* $name:ident { $($(#[$choice_doc:meta])* $choice:ident = $word:literal,)* })*) => {
        $(
            $(#[$doc])*
            #[derive(
                Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
            )]
            pub enum $name {
                $($(#[$choice_doc])* #[serde(rename = $word)] $choice,)*
            }

            impl Choice for $name {
                const ALL: &'static [Self] = &[$(Self::$choice,)*];

                fn word(self) -> &'static str {
                    match self {
                        $(Self::$choice => $word,)*
                    }
                }
            }
        )*
    };
}

impl Publish {
    /// Whether a claim is signed from the first instant.
    pub fn is_signed(self) -> bool {
        match self {
            Self::CreateThenWrite | Self::MkdirThenWrite => false,
            Self::Link | Self::Symlink | Self::RenameDirectory | Self::Numbered => true,
        }
    }

    /// Whether a claim is made beside the path, under a name with the own pid in it.
    pub(crate) fn is_private_first(self) -> bool {
        matches!(self, Self::Link | Self::RenameDirectory | Self::Numbered)
    }
}

impl RecordField {
    /// Whether it tells two owners of one pid apart, and says nothing without that.
    pub(crate) fn is_of_a_pid(self) -> bool {
        match self {
            Self::Start | Self::Boot | Self::Pidfd | Self::Namespace | Self::Host => true,
            Self::Pid | Self::Nonce => false,
        }
    }
}

impl VerifyField {
    /// Whether it is asked of the file itself, and not of what it says.
    pub(crate) fn is_of_stat(self) -> bool {
        matches!(self, Self::Inode | Self::Mtime)
    }
}

impl Takeover {
    /// Whether a claim can be compared with the one that was judged, just before.
    pub fn compares(self) -> bool {
        match self {
            Self::Unlink | Self::RenameAside | Self::RenameOver => true,
            Self::OwnerEntry | Self::NextGeneration => false,
        }
    }
}

choices! {
    /// Locks that the kernel keeps.
    KernelLock {
        /// `flock`: the open file description has it, whoever shares that.
        Flock = "flock",
        /// A POSIX record lock, of the whole file: the process has it, until it closes the
        /// file, by whatever descriptor.
        Fcntl = "fcntl",
        /// A record lock of the open file description.
        Ofd = "ofd",
    }

    /// How a lock that the kernel keeps is let go.
    LetGo {
        /// The file is closed: the kernel lets go with the last descriptor of it.
        Close = "close",
        /// The file is unlocked first.
        Unlock = "unlock",
        /// The file is deleted while it is still locked, whatever stands at the path by then.
        Unlink = "unlink",
        /// The file is unlocked, and then deleted.
        UnlockUnlink = "unlock-unlink",
    }

    /// What is asked when the kernel has given the lock.
    Recheck {
        /// Nothing.
        None = "none",
        /// Whether the path still stands for the file that was locked; if not, it is opened
        /// once more.
        Path = "path",
    }

    /// What becomes of the file of a lock that the kernel keeps in a child that runs another program.
    OnExec {
        /// It stays open, and the lock with it.
        Kept = "kept",
        /// The kernel closes it (`O_CLOEXEC`).
        Closed = "closed",
    }

    /// How a claim comes to stand at the path.
    Publish {
        /// The file is created exclusively, and signed afterwards.
        CreateThenWrite = "create-then-write",
        /// A directory is created, and a file in it signed afterwards.
        MkdirThenWrite = "mkdir-then-write",
        /// A private file is signed, and then linked to the path.
        Link = "link",
        /// A symbolic link is made that leads to no file: what it says is the record.
        Symlink = "symlink",
        /// A private directory with an entry named after its owner is renamed to the path,
        /// which fails where there is a directory that is not empty.
        RenameDirectory = "rename-directory",
        /// A private file is signed, and then linked to the next number in the directory at the
        /// path, which stays: the highest number is the claim.
        Numbered = "numbered",
    }

    /// What a claim may say of its owner.
    RecordField {
        /// The process id.
        Pid = "pid",
        /// The start time of the process, in ticks since boot.
        Start = "start",
        /// The boot id.
        Boot = "boot",
        /// Random, another one for each acquisition.
        Nonce = "nonce",
        /// The inode number of a pidfd of the process: no other process has it until the
        /// machine boots.
        Pidfd = "pidfd",
        /// The inode number of the pid namespace in which the pid is one.
        Namespace = "namespace",
        /// The host's name: a container has one of its own.
        Host = "host",
    }

    /// How a dead claim is removed.
    Takeover {
        /// By name: whatever stands there at that instant.
        Unlink = "unlink",
        /// The dead owner's entry by its own name, and then the directory, if it is empty.
        OwnerEntry = "owner-entry",
        /// It is renamed to a name of the taker's own, and removed there: one taker gets it.
        RenameAside = "rename-aside",
        /// The taker's own claim, signed beside it, is renamed over it: the path is never free.
        RenameOver = "rename-over",
        /// The taker's own claim is linked to the next number: nothing is removed, and of those
        /// that try one succeeds.
        NextGeneration = "next-generation",
    }

    /// When a claim that is renamed aside is compared with the one that was judged.
    Compare {
        /// Where it stands, before it is moved.
        Before = "before",
        /// Where nobody else finds it, once it has been moved.
        After = "after",
    }

    /// What becomes of a claim that was moved aside and is not the one that was judged.
    Mismatch {
        /// It is left where it is now.
        Leave = "leave",
        /// It is put back, unless another one stands at the path by then.
        PutBack = "put-back",
    }

    /// What of a claim is compared before it is removed.
    VerifyField {
        /// The record.
        Bytes = "bytes",
        /// The inode number.
        Inode = "inode",
        /// The file time.
        Mtime = "mtime",
    }

    /// Who keeps other takers out of a takeover.
    Guard {
        /// Nobody.
        None = "none",
        /// An exclusive `flock` on a file beside the claim that is never
        /// deleted; the claim is looked at and judged again under it.
        Flock = "flock",
        /// A lock of the same rule beside the claim, which itself is taken over without a
        /// guard; the claim is looked at and judged again under it.
        SameClass = "same-class",
    }

    /// How the own claim is removed.
    Release {
        /// By name: whatever stands there at that instant.
        Unlink = "unlink",
        /// Only if the record there is the own one.
        OwnBytes = "own-bytes",
        /// Only if the inode there is the own one.
        OwnInode = "own-inode",
        /// The own entry by its own name, and then the directory, if it is empty.
        OwnEntry = "own-entry",
        /// Only if what stands there is what a descriptor is open on that the owner has kept
        /// since it made the claim: nothing else has its inode number meanwhile.
        OwnDescriptor = "own-descriptor",
        /// The own number is marked as let go, and never used again.
        OwnNumber = "own-number",
    }

    /// What happens to a process that asks for a lock it holds.
    Reentry {
        /// It is met like anybody else.
        None = "none",
        /// A count in the process's memory lets it in.
        CountProcess = "count-process",
        /// A claim that names the process's own pid is taken for its own. Nothing is counted:
        /// each release lets go.
        OwnPid = "own-pid",
        /// A count for each task lets in the one that counted, no other thread of its process
        /// and no child.
        CountTask = "count-task",
    }
}
