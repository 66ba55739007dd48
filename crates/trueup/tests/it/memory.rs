//! A lock and a ledger that are kept in memory: stores outside of the database, as an embedder might bring them.

use std::collections::{BTreeMap, VecDeque};
use std::ops::RangeInclusive;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use async_trait::async_trait;
use trueup::execute::{
    ExecuteError, HistoryEntry, LedgerStep, LedgerStore, NewEntry, NewRun, Records, RunStatus, StepState,
};
use trueup::lock::{Claim, Holder, Line, LockError, LockGuard, LockStanding, LockStore, Wait};
use trueup::plan::{Pair, Tracked};
use trueup::schema::ObjectRef;
use trueup::session::Session;

/// Pause between two attempts.
const PAUSE: Duration = Duration::from_millis(5);

#[derive(Debug, Default)]
struct Key {
    holder: Option<Claim>,
    epoch: i64,
}

/// Locks of one process, by scope. Clones share everything.
#[derive(Debug, Clone, Default)]
pub(crate) struct MemoryLock(Arc<Mutex<BTreeMap<String, Key>>>);

impl MemoryLock {
    fn with<T>(&self, scope: &str, work: impl FnOnce(&mut Key) -> T) -> T {
        work(self.0.lock().unwrap().entry(scope.to_owned()).or_default())
    }

    /// Gives the lock to somebody else, as a service does when it has run out.
    pub(crate) fn steal(&self) {
        self.with("default", |key| {
            key.epoch += 1;
            key.holder = None;
        });
    }

    pub(crate) fn is_free(&self) -> bool {
        self.with("default", |key| key.holder.is_none())
    }

    pub(crate) fn epoch(&self) -> i64 {
        self.with("default", |key| key.epoch)
    }
}

#[async_trait]
impl LockStore for MemoryLock {
    async fn acquire(
        &self,
        _session: &mut dyn Session,
        claim: &Claim,
        wait: &Wait<'_>,
    ) -> Result<Box<dyn LockGuard>, LockError> {
        let start = wait.clock.now();
        let mut waited = false;
        loop {
            let holder = self.with(&claim.scope, |key| match &key.holder {
                Some(holder) => Some(format!("held by `{}`", holder.owner)),
                None => {
                    key.holder = Some(claim.clone());
                    None
                }
            });
            let Some(holder) = holder else {
                let (lock, claim) = (self.clone(), claim.clone());
                return Ok(Box::new(MemoryGuard { lock, claim, waited, seen: 0, epoch: None }));
            };
            if wait.clock.now().saturating_sub(start) >= wait.deadline {
                return Err(LockError::Timeout { waited: wait.deadline, holder });
            }
            if !waited {
                (wait.on_busy)(&holder);
                waited = true;
            }
            wait.clock.sleep(PAUSE).await;
        }
    }

    async fn prepare(&self, _session: &mut dyn Session) -> Result<(), LockError> {
        Ok(())
    }

    async fn standing(&self, _session: &mut dyn Session, scope: &str) -> Result<LockStanding, LockError> {
        let words = self.with(scope, |key| key.holder.as_ref().map(|holder| format!("held by `{}`", holder.owner)));
        Ok(LockStanding { holder: words.map(|words| Holder { id: None, words }), ..LockStanding::default() })
    }

    async fn evict(&self, _: &mut dyn Session, scope: &str, _: &LockStanding) -> Result<(), LockError> {
        self.with(scope, |key| key.holder = None);
        Ok(())
    }
}

#[derive(Debug)]
struct MemoryGuard {
    lock: MemoryLock,
    claim: Claim,
    waited: bool,
    seen: i64,
    epoch: Option<i64>,
}

impl MemoryGuard {
    fn with<T>(&self, work: impl FnOnce(&mut Key) -> T) -> T {
        self.lock.with(&self.claim.scope, work)
    }

    fn is_ours(&self) -> bool {
        self.with(|key| key.holder.as_ref() == Some(&self.claim))
    }
}

#[async_trait]
impl LockGuard for MemoryGuard {
    async fn look(&mut self, _session: &mut dyn Session, _wait: &Wait<'_>) -> Result<bool, LockError> {
        self.seen = self.with(|key| key.epoch);
        Ok(self.waited)
    }

    async fn verify(&self, _session: &mut dyn Session) -> Result<(), LockError> {
        if self.is_ours() { Ok(()) } else { Err(LockError::NotHeld) }
    }

    async fn take(&mut self, _session: &mut dyn Session, is_forced: bool) -> Result<Option<i64>, LockError> {
        if !is_forced && self.with(|key| key.epoch) != self.seen {
            return Ok(None);
        }
        self.epoch = Some(self.with(|key| {
            key.epoch += 1;
            key.epoch
        }));
        Ok(self.epoch)
    }

    async fn fence(&self, _session: &mut dyn Session) -> Result<(), LockError> {
        if self.is_ours() && self.epoch == Some(self.with(|key| key.epoch)) {
            return Ok(());
        }
        Err(LockError::Stolen { scope: self.claim.scope.clone(), by: "somebody else".to_owned() })
    }

    fn condition(&self, _scope: &str) -> Option<String> {
        None
    }

    async fn renew(&self, _line: &mut Line<'_>) -> Result<(), LockError> {
        if self.is_ours() { Ok(()) } else { Err(LockError::Missing { scope: self.claim.scope.clone() }) }
    }

    async fn give_back(&self, session: &mut dyn Session) -> Result<(), LockError> {
        self.fence(session).await
    }

    async fn release(self: Box<Self>, _session: &mut dyn Session) -> Result<(), LockError> {
        if !self.is_ours() {
            return Err(LockError::NotHeld);
        }
        self.with(|key| key.holder = None);
        Ok(())
    }
}

#[derive(Debug, Clone, Default)]
struct Book {
    is_prepared: bool,
    /// Newest first.
    history: VecDeque<HistoryEntry>,
    steps: Vec<LedgerStep>,
    hashes: BTreeMap<ObjectRef, String>,
    pairs: Vec<Pair>,
}

/// A book, and what it becomes with the commit of the open transaction.
#[derive(Debug, Default)]
struct Shelf {
    book: Book,
    pending: Option<Book>,
}

/// What runs wrote down, of one database and one scope. Clones share everything.
#[derive(Debug, Clone, Default)]
pub(crate) struct MemoryLedger(Arc<Mutex<Shelf>>);

impl MemoryLedger {
    fn shelf(&self) -> MutexGuard<'_, Shelf> {
        self.0.lock().unwrap()
    }

    /// Writes now, or with the commit of the open transaction.
    fn write(&self, session: &dyn Session, work: impl FnOnce(&mut Book)) {
        let mut shelf = self.shelf();
        if session.in_transaction() {
            let Shelf { book, pending } = &mut *shelf;
            work(pending.get_or_insert_with(|| book.clone()));
        } else {
            work(&mut shelf.book);
        }
    }

    /// Status words, oldest first.
    pub(crate) fn statuses(&self) -> Vec<String> {
        self.shelf().book.history.iter().rev().map(|entry| entry.status.clone()).collect()
    }

    /// States of the steps of an unfinished run.
    pub(crate) fn open(&self) -> Vec<StepState> {
        self.shelf().book.steps.iter().map(|step| step.state).collect()
    }

    /// How many tables are tracked.
    pub(crate) fn tracked(&self) -> usize {
        self.shelf().book.hashes.keys().filter(|object| matches!(object, ObjectRef::Table(_))).count()
    }

    pub(crate) fn is_settled(&self) -> bool {
        self.shelf().pending.is_none()
    }
}

#[async_trait]
impl LedgerStore for MemoryLedger {
    async fn is_there(&self, _session: &mut dyn Session) -> Result<bool, ExecuteError> {
        Ok(self.shelf().book.is_prepared)
    }

    async fn prepare(&self, session: &mut dyn Session, _scope: &str) -> Result<(), ExecuteError> {
        self.write(session, |book| book.is_prepared = true);
        Ok(())
    }

    async fn retract(&self, _session: &mut dyn Session) {
        let mut shelf = self.shelf();
        if shelf.book.history.is_empty() && shelf.book.steps.is_empty() {
            shelf.book.is_prepared = false;
        }
    }

    async fn records(
        &self,
        _session: &mut dyn Session,
        _scope: &str,
        history_limit: usize,
    ) -> Result<Option<Records>, ExecuteError> {
        let Book { is_prepared, history, steps, hashes, pairs } = self.shelf().book.clone();
        Ok(is_prepared.then(|| Records {
            history: history.into_iter().take(history_limit).collect(),
            tracked: Tracked { objects: hashes.keys().cloned().collect(), pairs },
            hashes,
            unfinished: !steps.is_empty(),
        }))
    }

    async fn history(
        &self,
        _session: &mut dyn Session,
        _scope: &str,
        limit: usize,
    ) -> Result<Vec<HistoryEntry>, ExecuteError> {
        Ok(self.shelf().book.history.iter().take(limit).cloned().collect())
    }

    async fn steps(&self, _session: &mut dyn Session, _scope: &str) -> Result<Vec<LedgerStep>, ExecuteError> {
        Ok(self.shelf().book.steps.clone())
    }

    async fn record_steps(&self, session: &mut dyn Session, _scope: &str, run: &NewRun) -> Result<(), ExecuteError> {
        self.write(session, |book| book.steps.extend(run.steps.iter().cloned()));
        Ok(())
    }

    async fn intend(
        &self,
        session: &mut dyn Session,
        scope: &str,
        (run, number): (&str, i64),
        lock: &dyn LockGuard,
    ) -> Result<(), ExecuteError> {
        lock.fence(session).await?;
        self.mark(session, scope, run, number..=number, StepState::Intent).await
    }

    async fn mark(
        &self,
        session: &mut dyn Session,
        _scope: &str,
        run: &str,
        numbers: RangeInclusive<i64>,
        state: StepState,
    ) -> Result<(), ExecuteError> {
        self.write(session, |book| {
            let of_run = book.steps.iter_mut().filter(|step| step.run == run && numbers.contains(&step.number));
            of_run.for_each(|step| step.state = state);
        });
        Ok(())
    }

    async fn forget(&self, session: &mut dyn Session, _scope: &str, run: Option<&str>) -> Result<(), ExecuteError> {
        self.write(session, |book| book.steps.retain(|step| run.is_some_and(|run| step.run != run)));
        Ok(())
    }

    async fn add_entry(&self, session: &mut dyn Session, _scope: &str, entry: &NewEntry) -> Result<(), ExecuteError> {
        let entry = entry.clone();
        self.write(session, |book| {
            let id = book.history.front().map_or(1, |latest| latest.id + 1);
            let NewEntry { status, declared, live, run_key, duration_ms, applied_by, .. } = entry;
            let NewEntry { environment, source, note, operations, residual, .. } = entry;
            let (status, applied_at) = (status.to_owned(), "some time ago".to_owned());
            book.history.push_front(HistoryEntry {
                id,
                applied_at,
                status,
                declared,
                live,
                run_key,
                duration_ms,
                applied_by,
                environment,
                source,
                note,
                operations,
                residual,
            });
        });
        Ok(())
    }

    async fn track(
        &self,
        session: &mut dyn Session,
        _scope: &str,
        hashes: &BTreeMap<ObjectRef, String>,
        pairs: &[Pair],
    ) -> Result<(), ExecuteError> {
        self.write(session, |book| {
            book.hashes.clone_from(hashes);
            book.pairs = pairs.to_vec();
        });
        Ok(())
    }

    async fn ended(&self, _scope: &str, is_committed: bool) -> Result<(), ExecuteError> {
        let mut shelf = self.shelf();
        if let Some(book) = shelf.pending.take().filter(|_| is_committed) {
            shelf.book = book;
        }
        Ok(())
    }
}

/// Whether an entry says that what was declared is there.
pub(crate) fn is_reached(status: &str) -> bool {
    [RunStatus::Synced, RunStatus::UpToDate].iter().any(|reached| reached.as_str() == status)
}
