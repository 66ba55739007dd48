//! Many pairs, and what became of them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::Result;
use trueup_testkit::TestDatabase;

use crate::arena::{Arena, settle};
use crate::case;
use crate::dice::Dice;
use crate::generator::{Generator, edited, random_world};
use crate::judge::{Verdict, judge, judge_in};
use crate::minimise::{Worlds, minimise};

/// A dialect on a server.
#[derive(Clone)]
pub struct Field {
    /// The server.
    pub arena: Arc<dyn Arena>,
    /// What makes things up for it.
    pub generator: Arc<dyn Generator + Send>,
}

impl std::fmt::Debug for Field {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&self.arena.name())
    }
}

/// How much to do.
#[derive(Debug, Clone, Copy)]
pub struct Wanted {
    /// How many pairs.
    pub pairs: u64,
    /// The first pair's seed; each has the next.
    pub seed: u64,
    /// How many at once.
    pub workers: u64,
    /// How many looks the making smaller of a failure may take; none leaves it as it is.
    pub tries: usize,
}

/// One pair that failed.
#[derive(Debug, Clone)]
pub struct Failure {
    /// Its seed.
    pub seed: u64,
    /// A word for what is wrong.
    pub what: String,
    /// Everything about it.
    pub detail: String,
    /// The pair as a case.
    pub case: String,
}

/// What became of all pairs.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    /// How many ended at the wanted schema.
    pub converged: u64,
    /// How many were refused and left untouched.
    pub refused: u64,
    /// How many no server takes.
    pub invalid: u64,
    /// How many times each reason was given.
    pub codes: BTreeMap<String, u64>,
    /// A seed for each reason.
    pub samples: BTreeMap<String, u64>,
    /// What is wrong.
    pub failures: Vec<Failure>,
}

impl Tally {
    fn add(&mut self, other: Self) {
        self.converged += other.converged;
        self.refused += other.refused;
        self.invalid += other.invalid;
        for (code, count) in other.codes {
            *self.codes.entry(code).or_default() += count;
        }
        for (code, seed) in other.samples {
            self.samples.entry(code).or_insert(seed);
        }
        self.failures.extend(other.failures);
    }

    /// Pairs that count.
    #[must_use]
    pub fn judged(&self) -> u64 {
        self.converged + self.refused + u64::try_from(self.failures.len()).unwrap_or(u64::MAX)
    }

    /// In words.
    #[must_use]
    pub fn words(&self) -> String {
        let mut out = format!(
            "{} pairs: {} converged, {} refused, {} failed; {} more not valid",
            self.judged(),
            self.converged,
            self.refused,
            self.failures.len(),
            self.invalid
        );
        for (code, count) in &self.codes {
            let seed = self.samples.get(code).copied().unwrap_or_default();
            let _always = write!(out, "\n  {code}: {count} (as with seed {seed})");
        }
        out
    }
}

/// The pair of a seed: most are one schema and the same after some edits, some have nothing to do with each other.
///
/// # Errors
/// Where the server does not answer.
pub async fn worlds(field: &Field, seed: u64) -> Result<(Worlds, [TestDatabase; 2])> {
    let mut dice = Dice::new(seed.wrapping_mul(0x2545_f491_4f6c_dd1d));
    let generator = field.generator.as_ref();
    let (from, a) = settle(field.arena.as_ref(), &random_world(generator, &mut dice)).await?;
    let to = match dice.below(10) {
        0 => random_world(generator, &mut dice),
        _ => edited(generator, &mut dice, &from),
    };
    let (to, b) = settle(field.arena.as_ref(), &to).await?;
    Ok((Worlds { from, to, seeded: dice.chance(50) }, [a, b]))
}

/// Hears of each failure as soon as it is found.
pub type Hear = Arc<dyn Fn(&Failure) + Send + Sync>;

/// Judges as many pairs as wanted.
///
/// # Errors
/// Where the server does not answer.
pub async fn campaign(field: &Field, wanted: Wanted, hear: Hear) -> Result<Tally> {
    let next = Arc::new(AtomicU64::new(0));
    let mut tasks = Vec::new();
    for _ in 0..wanted.workers {
        let (field, next, hear) = (field.clone(), Arc::clone(&next), Arc::clone(&hear));
        tasks.push(tokio::spawn(async move {
            let mut tally = Tally::default();
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                if at >= wanted.pairs {
                    return Ok::<_, anyhow::Error>(tally);
                }
                let known = tally.failures.len();
                one(&field, wanted.seed.wrapping_add(at), wanted.tries, &mut tally).await?;
                tally.failures.iter().skip(known).for_each(|failure| hear(failure));
            }
        }));
    }
    let mut all = Tally::default();
    for task in tasks {
        all.add(task.await??);
    }
    all.failures.sort_by_key(|failure| failure.seed);
    Ok(all)
}

async fn one(field: &Field, seed: u64, tries: usize, tally: &mut Tally) -> Result<()> {
    let (worlds, [a, b]) = worlds(field, seed).await?;
    let (arena, pair) = (Arc::clone(&field.arena), worlds.pair());
    // on a task of its own: a panic of what is tested is a failure like others
    let judged = tokio::spawn(async move { judge_in(arena.as_ref(), &pair, a, b).await }).await;
    let verdict = match judged {
        Ok(Ok(verdict)) => verdict,
        Ok(Err(error)) => Verdict::Failed { what: "no answer", detail: format!("{error:#}") },
        Err(error) => Verdict::Failed { what: "panic", detail: error.to_string() },
    };
    match &verdict {
        Verdict::Converged => tally.converged += 1,
        Verdict::Invalid(_) => tally.invalid += 1,
        Verdict::Refused { codes, .. } => {
            tally.refused += 1;
            for code in codes {
                *tally.codes.entry(code.clone()).or_default() += 1;
                tally.samples.entry(code.clone()).or_insert(seed);
            }
        }
        Verdict::Failed { what, detail } => {
            let small = match *what {
                "panic" | "no answer" => worlds,
                _ => minimise(field.arena.as_ref(), &worlds, &verdict, tries).await?,
            };
            let detail = match judge(field.arena.as_ref(), &small.pair()).await {
                Ok(Verdict::Failed { detail, .. }) => detail,
                _ => detail.clone(),
            };
            let case = case::write(&format!("seed {seed}: {what}"), &small.pair());
            tally.failures.push(Failure { seed, what: (*what).to_owned(), detail, case });
        }
    }
    Ok(())
}
