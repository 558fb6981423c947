use std::ops::Range;

use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeTable, DeValue, Error, ValueDeserializer};

use super::{Diagnostic, Findings, nearest, serde_words};

/// More keys than this can be wrong in one table without all being told.
const TOLD: usize = 20;

/// A table of a file that is being read: what is asked for is taken out, and
/// what is left over in the end is unknown.
#[derive(Clone)]
pub(crate) struct Table<'i> {
    entries: DeTable<'i>,
    span: Range<usize>,
    asked: Vec<&'static str>,
    missing: Vec<&'static str>,
}

impl<'i> Table<'i> {
    /// The top of a file, and what is no TOML in it.
    pub fn parse(source: &'i str, findings: &mut Findings) -> Self {
        let (top, errors) = DeTable::parse_recoverable(source);
        for error in errors {
            let span = error.span().unwrap_or(0..0);
            findings.add_syntax(Diagnostic::new(error.message(), span));
        }
        let span = top.span();
        Self::new(top.into_inner(), span)
    }

    fn new(entries: DeTable<'i>, span: Range<usize>) -> Self {
        Self { entries, span, asked: Vec::new(), missing: Vec::new() }
    }

    /// Where the table is.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// The value of `key`, if it is there and is a `T`.
    pub fn take<T: Deserialize<'i>>(
        &mut self,
        key: &'static str,
        findings: &mut Findings,
    ) -> Option<Spanned<T>> {
        self.asked.push(key);
        self.take_any(key, findings)
    }

    /// The value of `key`, which must be there.
    pub fn require<T: Deserialize<'i>>(
        &mut self,
        key: &'static str,
        findings: &mut Findings,
    ) -> Option<Spanned<T>> {
        self.need(key);
        self.take(key, findings)
    }

    /// Whether `key` is there.
    pub fn has(&self, key: &str) -> bool {
        self.entries.contains_key(key)
    }

    /// How long the list at `key` is, if there is one.
    pub fn list_len(&self, key: &str) -> Option<usize> {
        Some(self.entries.get(key)?.get_ref().as_array()?.len())
    }

    /// Where the value of `key` is; where the table is, if it is not there.
    pub fn span_of(&self, key: &str) -> Range<usize> {
        self.entries.get(key).map_or(self.span(), Spanned::span)
    }

    /// Takes note if `key` is not there.
    pub fn need(&mut self, key: &'static str) {
        if !self.has(key) {
            self.missing.push(key);
        }
    }

    /// The table called `key`, which must be there.
    pub fn require_table(&mut self, key: &'static str, findings: &mut Findings) -> Option<Self> {
        self.need(key);
        self.take_table(key, findings)
    }

    /// The table called `key`, if it is there.
    pub fn take_table(&mut self, key: &'static str, findings: &mut Findings) -> Option<Self> {
        let value = self.take_value(key)?;
        Self::of(value, findings)
    }

    /// The tables in the table called `key`, each with its name, in the order
    /// of the file.
    pub fn take_named(
        &mut self,
        key: &'static str,
        findings: &mut Findings,
    ) -> Vec<(Spanned<String>, Self)> {
        let Some(table) = self.take_table(key, findings) else { return Vec::new() };
        let mut named: Vec<(Spanned<String>, Self)> = table
            .entries
            .into_iter()
            .filter_map(|(name, value)| {
                let name = Spanned::new(name.span(), name.into_inner().into_owned());
                Some((name, Self::of(value, findings)?))
            })
            .collect();
        named.sort_by_key(|(name, _)| name.span().start);
        named
    }

    /// The tables in the list called `key`.
    pub fn take_each(&mut self, key: &'static str, findings: &mut Findings) -> Vec<Self> {
        let Some(value) = self.take_value(key) else { return Vec::new() };
        let span = value.span();
        match value.into_inner() {
            DeValue::Array(list) => {
                list.into_iter().filter_map(|value| Self::of(value, findings)).collect()
            }
            other => {
                findings.add(wrong_type(&other, "a list of tables", span));
                Vec::new()
            }
        }
    }

    /// The keys that are left, each with its place, in the order of the file.
    pub fn keys(&self) -> Vec<Spanned<String>> {
        let mut keys: Vec<Spanned<String>> = self
            .entries
            .keys()
            .map(|key| Spanned::new(key.span(), key.get_ref().clone().into_owned()))
            .collect();
        keys.sort_by_key(|key| key.span().start);
        keys
    }

    /// The value of `key`, which is one of [`keys`](Self::keys).
    pub fn take_any<T: Deserialize<'i>>(
        &mut self,
        key: &str,
        findings: &mut Findings,
    ) -> Option<Spanned<T>> {
        let value = self.entries.remove(key)?;
        let span = value.span();
        match T::deserialize(ValueDeserializer::from(value)) {
            Ok(value) => Some(Spanned::new(span, value)),
            Err(error) => {
                findings.add(serde_words::diagnostic(&error, &span));
                None
            }
        }
    }

    /// Nothing else may be in the table than what was asked for.
    pub fn finish(mut self, findings: &mut Findings) {
        self.keep_known(&[], findings);
    }

    /// Drops what is neither in `known` nor was asked for, and tells what is
    /// missing.
    pub fn keep_known(&mut self, known: &[&'static str], findings: &mut Findings) {
        let known = [&self.asked[..], known].concat();
        for key in self.keys() {
            let name = key.get_ref().as_str();
            if known.contains(&name) {
                continue;
            }
            findings.add(Diagnostic::unknown("key", name, key.span(), known.iter().copied()));
            self.entries.remove(name);
            // It is the missing one, misspelt.
            let meant = nearest(name, known.iter().copied());
            self.missing.retain(|missing| Some(*missing) != meant);
        }
        self.tell_missing(findings);
    }

    /// Tells what was needed and is not there.
    pub fn tell_missing(&mut self, findings: &mut Findings) {
        let missing: Vec<String> = self.missing.drain(..).map(|key| format!("`{key}`")).collect();
        let message = match &missing[..] {
            [] => return,
            [only] => format!("the key {only} is missing"),
            [others @ .., last] => format!("the keys {} and {last} are missing", others.join(", ")),
        };
        findings.add_absence(Diagnostic::new(message, self.span()));
    }

    /// The same table with the entries of `other` in place of its own.
    pub fn overlaid(mut self, other: &Self) -> Self {
        for (key, value) in &other.entries {
            self.entries.remove(key.get_ref().as_ref());
            self.entries.insert(key.clone(), value.clone());
        }
        self
    }

    /// The whole table as `read` reads it, or `None` and everything that is
    /// wrong: after each error the entry with it is left out, and the rest is
    /// read again.
    pub fn read<T>(
        mut self,
        findings: &mut Findings,
        read: impl Fn(ValueDeserializer<'i>) -> Result<T, Error>,
    ) -> Option<T> {
        for told in 0..TOLD {
            let whole = Spanned::new(self.span(), DeValue::Table(self.entries.clone()));
            let error = match read(ValueDeserializer::from(whole)) {
                Ok(value) => return (told == 0).then_some(value),
                Err(error) => error,
            };
            let at = error.span().unwrap_or(self.span());
            match serde_words::missing_key(&error) {
                // What was left out has been complained about.
                Some(_) if told > 0 => return None,
                Some(key) => findings.add_absence(Diagnostic::new(
                    format!("the key `{key}` is missing"),
                    at.clone(),
                )),
                None => findings.add(serde_words::diagnostic(&error, &at)),
            }
            let key = self.key_at(&at)?;
            self.entries.remove(key.as_str());
        }
        None
    }

    /// The key whose entry holds the place `at`.
    fn key_at(&self, at: &Range<usize>) -> Option<String> {
        let holds = |span: Range<usize>| span.start <= at.start && at.end <= span.end;
        self.entries
            .iter()
            .find(|(key, value)| holds(key.span()) || holds(value.span()))
            .map(|(key, _)| key.get_ref().clone().into_owned())
    }

    fn take_value(&mut self, key: &'static str) -> Option<Spanned<DeValue<'i>>> {
        self.asked.push(key);
        self.entries.remove(key)
    }

    fn of(value: Spanned<DeValue<'i>>, findings: &mut Findings) -> Option<Self> {
        let span = value.span();
        match value.into_inner() {
            DeValue::Table(entries) => Some(Self::new(entries, span)),
            other => {
                findings.add(wrong_type(&other, "a table", span));
                None
            }
        }
    }
}

fn wrong_type(value: &DeValue<'_>, expected: &str, span: Range<usize>) -> Diagnostic {
    Diagnostic::new(format!("expected {expected}, found: {}", value.type_str()), span)
}
