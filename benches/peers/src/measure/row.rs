//! What is compared with what.

/// Who is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    Locklab,
    Futures,
    Shuttle,
    Stateright,
    Spin,
    SpinReduced,
}

impl Column {
    pub const ALL: [(Self, &str); 6] = [
        (Self::Locklab, "locklab"),
        (Self::Futures, "futures"),
        (Self::Shuttle, "shuttle"),
        (Self::Stateright, "stateright"),
        (Self::Spin, "Spin"),
        (Self::SpinReduced, "Spin, reduced"),
    ];
}

/// Figures that can be compared: all of them a second, or all of them seconds.
pub struct Row {
    pub title: String,
    /// What the work is counted in, a line each.
    pub counts: [&'static str; 2],
    pub unit: Unit,
    pub figures: Vec<Figure>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    PerSecond,
    Seconds,
}

pub struct Figure {
    pub column: Column,
    pub value: f64,
    /// How much work it was.
    pub work: [String; 2],
    /// States, where there are any.
    pub states: Option<u64>,
}

/// Processes take as much longer or shorter to start, from one time to the next.
const NOISE_SECONDS: f64 = 0.5e-3;

impl Row {
    pub fn figure(&self, column: Column) -> Option<&Figure> {
        self.figures.iter().find(|figure| figure.column == column)
    }

    /// A column's figure, in locklab's; none where they are too small to say.
    pub fn ratio(&self, column: Column) -> Option<f64> {
        let (ours, theirs) = (self.figure(Column::Locklab)?.value, self.figure(column)?.value);
        // Only whole processes are measured from outside, and those see states.
        let is_noise = self.unit == Unit::Seconds
            && self.figures.iter().any(|figure| figure.states.is_some())
            && ours.min(theirs) < NOISE_SECONDS;
        (!is_noise).then_some(theirs / ours)
    }
}

/// With two digits that say something.
pub fn show_ratio(ratio: f64) -> String {
    let places = if ratio < 1.0 { 2 } else { usize::from(ratio < 10.0) };
    format!("×{ratio:.places$}")
}

impl Unit {
    pub fn show(self, value: f64) -> String {
        match self {
            Self::PerSecond if value < 1e6 => format!("{}/s", thousands(value as u64)),
            Self::PerSecond => format!("{:.2} M/s", value / 1e6),
            Self::Seconds if value < 1e-3 => format!("{:.0} µs", value * 1e6),
            Self::Seconds if value < 0.1 => format!("{:.1} ms", value * 1e3),
            Self::Seconds => format!("{:.0} ms", value * 1e3),
        }
    }
}

pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut shown = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

/// The middle one; of two, the lower.
pub fn median<T: PartialOrd + Copy>(mut all: Vec<T>) -> T {
    all.sort_by(|one, other| one.partial_cmp(other).expect("no figure is a NaN"));
    all[(all.len() - 1) / 2]
}
