use std::time::Duration;

use locklab_sys::{Fingerprint, Image, Sys};
use serde::{Deserialize, Serialize};

use crate::lock::Foreseen;
use crate::{Claim, Handle, Polling};

/// How long another program goes on.
const LIFE: Duration = Duration::from_secs(600);

/// What a child does that is forked by one that is inside. The parent does not wait for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Child {
    /// There is none.
    #[default]
    None,
    /// It runs another program, for ten minutes.
    LivesOn,
    /// It releases the lock as its parent would: so do handlers that run at every exit.
    CleansUp,
    /// It takes the lock itself, works and releases.
    Enters,
    /// It takes the lock and ends inside, and its parent, which never wants the lock, goes on
    /// for ten minutes and does not ask what has become of it.
    DiesInside,
}

/// Where the parent is.
pub(super) struct Inside<'a> {
    pub lock: &'a Handle,
    pub claim: &'a Claim,
    pub polling: Polling,
    pub work: Duration,
}

impl Child {
    /// Every duration that it declares.
    pub(super) fn durations(self) -> Option<Duration> {
        matches!(self, Self::LivesOn | Self::DiesInside).then_some(LIFE)
    }

    /// Forks it, if there is to be one beside its parent.
    pub(super) async fn fork(self, sys: &Sys, inside: &Inside<'_>) {
        match self {
            Self::None | Self::DiesInside => {}
            Self::LivesOn | Self::CleansUp | Self::Enters => {
                let image = self.image(inside);
                sys.fork(image).await.surely("fork", "a child");
            }
        }
    }

    /// Forks one that takes the lock instead of its parent, and lives on.
    pub(super) async fn send_ahead(sys: &Sys, lock: &Handle, polling: Polling, work: Duration) {
        let arguments = Fingerprint::of(&(lock.fingerprint().0, polling, work)).to_string();
        let lock = lock.clone();
        let image = Image::new("child", arguments, move |sys| {
            let lock = lock.clone();
            async move {
                let lock = lock.anew(&sys).await;
                let inside = lock.acquire(&sys, polling).await.is_some();
                lock.work(&sys, work).await;
                u8::from(inside)
            }
        });
        sys.fork(image).await.surely("fork", "a child");
        sys.sleep(LIFE).await;
    }

    fn image(self, inside: &Inside<'_>) -> Image {
        let &Inside { lock, claim, polling, work } = inside;
        let captured = (self, lock.fingerprint().0, claim, polling, work);
        let arguments = Fingerprint::of(&captured).to_string();
        let (lock, claim) = (lock.clone(), claim.clone());
        Image::new("child", arguments, move |sys| {
            let (lock, claim) = (lock.clone(), claim.clone());
            async move {
                match self {
                    Self::None | Self::DiesInside => 0,
                    Self::LivesOn => sys.exec(another_program()).await,
                    Self::CleansUp => {
                        lock.release(&sys, claim).await;
                        0
                    }
                    Self::Enters => u8::from(!enter(&sys, &lock, polling, work).await),
                }
            }
        })
    }
}

/// One that knows of no lock.
fn another_program() -> Image {
    Image::new("program", format!("for {LIFE:?}"), |sys: Sys| async move {
        sys.sleep(LIFE).await;
        0
    })
}

/// Takes the lock in its own name, works and releases; whether it was to be had.
async fn enter(sys: &Sys, lock: &Handle, polling: Polling, work: Duration) -> bool {
    let lock = lock.anew(sys).await;
    let Some(claim) = lock.acquire(sys, polling).await else { return false };
    lock.work(sys, work).await;
    lock.release(sys, claim).await;
    true
}
