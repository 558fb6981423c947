use locklab_sys::{Disposition, Errno, Reply, Ret, Signal};

/// What a process does at the signals for which it can choose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Signals {
    pub(super) alrm: Disposition,
    pub(super) cont: Disposition,
    /// A `SIGALRM` came while it was stopped, and waits until it goes on.
    pub(super) alrm_pending: bool,
}

impl Signals {
    /// What another program has no handlers for.
    pub(super) fn forget_handlers(&mut self) {
        for disposition in [&mut self.alrm, &mut self.cont] {
            if let Disposition::Handle { .. } = disposition {
                *disposition = Disposition::Default;
            }
        }
    }

    pub(super) fn choose(&mut self, signal: Signal, disposition: Disposition) -> Reply {
        match signal {
            Signal::Alrm => self.alrm = disposition,
            Signal::Cont => self.cont = disposition,
            Signal::Probe | Signal::Stop | Signal::Kill => return Err(Errno::EINVAL),
        }
        Ok(Ret::Unit)
    }
}
