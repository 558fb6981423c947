//! What the figures are, and where the peers differ.

pub const NOTES: &str = "\
Figures. Times are the processor's, on one core. Each is the best of seven repetitions in which the
peers take turns; of first falls, the middle of fifty seeds, each at its best. ×2 is twice locklab's
figure; it is not said where one of the two is shorter than what starting a process varies by. Figures
of two runs say little of each other.

Random steps. Four guarded keepers of two rounds. Steps are those of the protocol, and choices all that
was chosen for their sake. Besides, locklab launches five processes, of which the dead one makes three
calls, opens the guard for each keeper, lets time pass once, and chooses who begins to wait; shuttle
starts and joins threads, and wakes who waits. locklab has a whole kernel, names of paths, inodes and
descriptors; the futures and stateright have four numbers, shuttle three objects. All see to it that
two are never inside.

First falls. Two keepers of one round; a run in which two are inside goes on to its end.

Every state. A process from its start to its end, less what the same program takes to start and do
nothing; and the most memory it had at once. Nobody stops when two are inside. Spin's time is without
that of generating and compiling; its table of states is made for 2^18, not for 2^24.

Why states differ. To stateright and Spin a state is the claim, the guard, the step and the round of
each keeper, and how many have ever been inside. locklab does not count those (its monitor knows who is
inside now, and no more), but a keeper remembers what it was told since its round began, or since it
came out of its last one: whether what it unlinked was there, and what it read. Who begins to wait for
the guard is a state of its own in locklab, but nobody begins to as long as another can go on; its
other reduction leaves nothing out here, where each call concerns others or carries a mark. Keepers are
not taken for one another. Spin's reduction leaves out orders that make no difference. `--check`
compares these numbers, and those that stateright has with keepers that remember.";
