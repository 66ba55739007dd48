//! A failing pair with everything taken away that the failure does not need.

use anyhow::Result;

use crate::arena::Arena;
use crate::judge::{Pair, Verdict, judge};
use crate::world::{Object, World};

/// Two schemas, still as objects.
#[derive(Debug, Clone)]
pub struct Worlds {
    /// What is there.
    pub from: World,
    /// What is wanted.
    pub to: World,
    /// Whether the tables get rows first.
    pub seeded: bool,
}

impl Worlds {
    /// As statements.
    #[must_use]
    pub fn pair(&self) -> Pair {
        Pair { from: self.from.statements(), to: self.to.statements(), seeded: self.seeded }
    }
}

/// On which side something is taken away.
#[derive(Debug, Clone, Copy)]
enum Side {
    Both,
    From,
    To,
}

/// Makes the pair smaller while it fails in the same way, with `tries` looks at most.
///
/// # Errors
/// Where the server does not answer.
pub async fn minimise(arena: &dyn Arena, worlds: &Worlds, verdict: &Verdict, mut tries: usize) -> Result<Worlds> {
    let mut best = worlds.clone();
    loop {
        let mut is_smaller = false;
        for smaller in smaller(&best) {
            // an earlier one of this round may have taken it away already
            let Some(candidate) = smaller.apply(&best) else { continue };
            if tries == 0 {
                return Ok(best);
            }
            tries -= 1;
            if judge(arena, &candidate.pair()).await.is_ok_and(|found| found.word() == verdict.word()) {
                best = candidate;
                is_smaller = true;
            }
        }
        if !is_smaller {
            return Ok(best);
        }
    }
}

/// One thing to take away.
#[derive(Debug)]
enum Smaller {
    Rows,
    Object(String, Side),
    Part(String, String, Side),
    More(String, String, Side),
}

fn smaller(worlds: &Worlds) -> Vec<Smaller> {
    let mut out = vec![Smaller::Rows];
    let mut objects: Vec<&Object> = worlds.to.objects.iter().chain(&worlds.from.objects).collect();
    objects.reverse();
    for side in [Side::Both, Side::From, Side::To] {
        out.extend(objects.iter().map(|object| Smaller::Object(object.key(), side)));
    }
    for side in [Side::Both, Side::From, Side::To] {
        for object in &objects {
            if !object.tail.is_empty() {
                out.extend(object.parts.iter().map(|part| Smaller::Part(object.key(), part.name.clone(), side)));
            }
            out.extend(object.more.iter().map(|more| Smaller::More(object.key(), more.clone(), side)));
        }
    }
    out
}

impl Smaller {
    /// The worlds without it; none where that changes nothing.
    fn apply(&self, worlds: &Worlds) -> Option<Worlds> {
        let mut made = worlds.clone();
        let side = match self {
            Self::Rows => {
                made.seeded = false;
                return worlds.seeded.then_some(made);
            }
            Self::Object(_, side) | Self::Part(_, _, side) | Self::More(_, _, side) => *side,
        };
        if matches!(side, Side::Both | Side::From) {
            self.take(&mut made.from);
        }
        if matches!(side, Side::Both | Side::To) {
            self.take(&mut made.to);
        }
        (made.from != worlds.from || made.to != worlds.to).then_some(made)
    }

    fn take(&self, world: &mut World) {
        match self {
            Self::Rows => {}
            Self::Object(key, _) => world.remove(key),
            Self::Part(key, part, _) => world.remove_part(key, part),
            Self::More(key, text, _) => {
                if let Some(object) = world.objects.iter_mut().find(|object| object.key() == *key) {
                    object.more.retain(|more| more != text);
                }
            }
        }
    }
}
