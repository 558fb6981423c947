//! Colours by meaning. What is written to a file or with `NO_COLOR` set is
//! stripped of them where it leaves the program.

use anstyle::{AnsiColor, Style};

/// What a piece of text means to the reader.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
    /// Nothing in particular.
    #[default]
    Plain,
    /// Of less weight.
    Dim,
    /// Of more weight.
    Strong,
    /// All is well.
    Good,
    /// Something to notice.
    Warn,
    /// A violation that was expected.
    Fallen,
    /// A violation where it happens, or one that nobody expected.
    Bad,
}

impl Tone {
    fn style(self) -> Style {
        let colour = |colour: AnsiColor| colour.on_default();
        match self {
            Self::Plain => Style::new(),
            Self::Dim => Style::new().dimmed(),
            Self::Strong => Style::new().bold(),
            Self::Good => colour(AnsiColor::Green),
            Self::Warn => colour(AnsiColor::Yellow),
            Self::Fallen => colour(AnsiColor::Red),
            Self::Bad => colour(AnsiColor::Red).bold(),
        }
    }

    /// The text in this tone.
    pub fn paint(self, text: &str) -> String {
        if text.is_empty() || self == Self::Plain {
            return text.to_owned();
        }
        let style = self.style();
        format!("{style}{text}{style:#}")
    }
}
