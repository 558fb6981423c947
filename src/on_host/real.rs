//! The real arm: a machine of real processes, each led by the program that it runs.

mod agreement;
mod calls;
mod contention;
mod inside;
mod moves;
mod own;

use std::io;
use std::time::Duration;

use locklab_sim::kernel::{ProcId, TaskId};
use locklab_sys::host::{Disk, Machine, Puppet};
use locklab_sys::{Cursor, Happening, Pid, Task};

use super::plan::{Act, Deed, Life};
use super::{Crowd, Deeds, End, Forced, Line, Plan, Told};
use agreement::Agreement;
use contention::competes;
use inside::Inside;

/// A reply that is due comes within this, unless Linux does not agree.
const PATIENCE: Duration = Duration::from_secs(10);

/// How often is tried again what could not be forced: a busy machine takes its time.
const TRIALS: u32 = 20;

/// Forces a plan upon real processes.
///
/// # Errors
///
/// What this machine lacks for that.
///
/// # Panics
///
/// When this process has several threads.
pub fn force(plan: &Plan) -> Result<Forced, String> {
    let machine = Machine::boot(&Disk::Tmpfs)?;
    if !machine.shows_calls().map_err(|error| error.to_string())? {
        return Err("a view of what system call a process is in".to_owned());
    }
    if !machine.has_users() && !plan.is_of_one_user() {
        return Err("several users, which only root can be".to_owned());
    }
    let mut trial = 1;
    loop {
        machine.reset(Pid(2)).map_err(|error| error.to_string())?;
        let forced = Real::new(plan, &machine).follow();
        if trial == TRIALS || !matches!(forced.end, End::NotForced { .. }) {
            return Ok(forced);
        }
        trial += 1;
    }
}

/// Why a run does not go on.
enum Parting {
    /// Linux does something else.
    Differs(String),
    /// The processes could not be made to go on as planned.
    NotForced(String),
}

impl Parting {
    fn not_forced(error: impl ToString) -> Self {
        Self::NotForced(error.to_string())
    }

    /// Somebody who should follow does not.
    fn lost(error: io::Error) -> Self {
        Self::Differs(error.to_string())
    }
}

/// What one act came to: whom it is about, what it is, and what Linux said.
struct Done {
    who: Option<ProcId>,
    what: String,
    linux: Result<String, Parting>,
}

/// A task that runs on the real kernel, and the process whose calls it makes.
struct Mind {
    proc: ProcId,
    task: Task,
    cursor: Option<Cursor>,
}

struct Real<'a> {
    plan: &'a Plan,
    machine: &'a Machine,
    /// By process; `None` for one that is not there yet.
    puppets: Vec<Option<Puppet>>,
    /// By task.
    minds: Vec<Mind>,
    /// What the programs have said since the last act.
    said: Vec<(TaskId, Happening)>,
    agreement: Agreement,
    inside: Inside,
    crowds: Vec<Crowd>,
    deeds: Deeds,
}

impl<'a> Real<'a> {
    fn new(plan: &'a Plan, machine: &'a Machine) -> Self {
        Self {
            plan,
            machine,
            puppets: plan.names.iter().map(|_| None).collect(),
            minds: Vec::new(),
            said: Vec::new(),
            agreement: Agreement::new(&plan.durations, machine.has_users()),
            inside: Inside::default(),
            crowds: Vec::new(),
            deeds: Deeds::default(),
        }
    }

    fn follow(mut self) -> Forced {
        let mut lines = Vec::new();
        let mut end = End::Agreed(self.plan.acts.len() as u32);
        let mut held_back: &[TaskId] = &[];
        for (number, act) in (1..).zip(&self.plan.acts) {
            let done = self.perform(act);
            let linux = done.linux.map_err(|parting| match &act.deed {
                Deed::Call(called) => self.judge(parting, called.task, held_back),
                _ => parting,
            });
            let settled = linux.and_then(|linux| self.settle(act, held_back).map(|()| linux));
            let (linux, parting) = match settled {
                Ok(linux) => (linux, None),
                Err(Parting::Differs(how)) => (how.clone(), Some(End::Differs { number, how })),
                Err(Parting::NotForced(why)) => (why.clone(), Some(End::NotForced { number, why })),
            };
            lines.push(Line {
                number,
                time_ns: u64::try_from(act.at.as_nanos()).expect("584 years"),
                process: done.who.map(|proc| self.name(proc).into()),
                what: done.what,
                linux,
                agrees: parting.is_none(),
                marks: self.hear(number),
            });
            if let Some(parting) = parting {
                end = parting;
                break;
            }
            held_back = &act.held_back;
        }
        Forced { end, lines, crowds: self.crowds, deeds: self.deeds }
    }

    fn perform(&mut self, act: &Act) -> Done {
        match &act.deed {
            Deed::Call(called) => self.call(called),
            Deed::Launch(born, image, container) => self.launch(*born, image, container.as_ref()),
            Deed::Stop(proc) => self.stop(*proc),
            Deed::Continue(procs) => self.cont(procs),
            Deed::Kill(proc) => self.kill(*proc),
            Deed::Reuse(born) => self.reuse(*born),
            Deed::Time => self.pass(act.passed),
            Deed::Nothing(name) => Done {
                who: None,
                what: name.to_string(),
                linux: Ok("nothing to be done".to_owned()),
            },
        }
    }

    /// What follows on its own: who is to end or to stop does, who waits goes on
    /// waiting, and the programs say what they did.
    fn settle(&mut self, act: &Act, held_back: &[TaskId]) -> Result<(), Parting> {
        for (index, life) in act.lives.iter().enumerate() {
            let Some(puppet) = &self.puppets[index] else { continue };
            let as_expected = match life {
                Life::Runs => continue,
                Life::Stopped => puppet.until(|state| state == Some('T')),
                // A parent that waits takes it at once.
                Life::Zombie => puppet.until(|state| matches!(state, Some('Z') | None)),
                Life::Gone => puppet.until(|state| state.is_none()),
            };
            as_expected.map_err(Parting::lost)?;
            if *life != Life::Stopped {
                self.inside.forget(ProcId(index as u32));
            }
            if *life == Life::Gone {
                self.puppets[index] = None;
            }
        }
        for task in &act.waiting {
            self.still_waits(*task).map_err(|it| self.judge(it, *task, held_back))?;
        }
        self.agreement.keep(&act.inodes);
        if self.said == act.said {
            return Ok(());
        }
        let said = |said: &[(TaskId, Happening)]| {
            let words = said.iter().map(|(_, happening)| match happening {
                Happening::Point(name) => format!("point {name}"),
                Happening::Mark { name, subject, value } => format!("{name} {subject} {value}"),
            });
            let words = words.collect::<Vec<_>>().join(", ");
            if words.is_empty() { "nothing".to_owned() } else { format!("`{words}`") }
        };
        let (here, there) = (said(&act.said), said(&self.said));
        Err(Parting::Differs(format!("the program says {there}, in the simulation {here}")))
    }

    /// A task's call differs. That is no word on the simulation where others, who are
    /// held back, may have in Linux what it is about.
    fn judge(&self, parting: Parting, task: TaskId, held_back: &[TaskId]) -> Parting {
        let pending = |task: TaskId| self.minds[task.0 as usize].task.pending();
        let mut others = held_back.iter().filter(|it| **it != task).filter_map(|it| pending(*it));
        match (parting, pending(task)) {
            (Parting::Differs(how), Some(call)) if others.any(|it| competes(call, it)) => {
                Parting::NotForced(format!(
                    "Linux does not hold back who need not wait any longer: {how}"
                ))
            }
            (parting, _) => parting,
        }
    }

    /// The marks said since the last act, and who are inside by them.
    fn hear(&mut self, number: u32) -> Vec<Told> {
        let mut marks = Vec::new();
        for (task, said) in std::mem::take(&mut self.said) {
            let Happening::Mark { name, subject, .. } = &said else { continue };
            let inside = self.inside.hear(self.minds[task.0 as usize].proc, &said);
            let crowd = if inside.len() > 1 { inside } else { Vec::new() };
            let crowd: Vec<_> = crowd.into_iter().map(|proc| self.name(proc).into()).collect();
            if !crowd.is_empty() {
                let (lock, inside) = (subject.clone(), crowd.clone());
                self.crowds.push(Crowd { number, lock, inside });
            }
            marks.push(Told { mark: name, subject: subject.clone(), crowd });
        }
        marks
    }

    fn name(&self, proc: ProcId) -> &'a str {
        &self.plan.names[proc.0 as usize]
    }

    fn puppet(&self, proc: ProcId) -> Result<&Puppet, Parting> {
        let puppet = self.puppets[proc.0 as usize].as_ref();
        puppet.ok_or_else(|| Parting::Differs(format!("{} is gone", self.name(proc))))
    }
}
