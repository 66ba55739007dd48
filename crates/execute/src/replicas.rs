//! Waiting for servers that follow the one a plan is carried out on.
//!
//! A replica applies what it is sent in the order of its source. So it has a step once it shows the step's mark in the ledger, and the
//! whole run once it shows its entry in the history: no privilege and no log position is needed.

use std::sync::Arc;
use std::time::Duration;

use trueup_session::{ConnectOptions, Connector, DbError, DbErrorKind, Session};

use crate::error::RunState;
use crate::run::Run;
use crate::{Event, ExecuteError, StepState};

/// First and longest pause between two looks.
const LOOK: (Duration, Duration) = (Duration::from_millis(20), Duration::from_secs(1));

/// Longest wait for one answer.
const ANSWER: Duration = Duration::from_secs(15);

/// What a replica is waited for to show.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Mark {
    /// A step that is done.
    Step(i64),
    /// An entry of the history.
    Entry(i64),
}

impl Run<'_> {
    /// Asks every replica once, so that one that cannot be asked is known before anything is begun.
    pub(crate) async fn greet_replicas(&self) -> Result<(), ExecuteError> {
        for replica in self.ports.replicas {
            let name = || replica.url().place();
            let session = open(replica).await.map_err(|source| ExecuteError::Replica {
                replica: name(),
                why: "cannot be asked".to_owned(),
                source: Some(Box::new(source)),
            })?;
            let dialect = session.server().dialect;
            if dialect != self.dialect {
                let why = format!("is a server of {dialect}");
                return Err(ExecuteError::Replica { replica: name(), why, source: None });
            }
            if let Err(error) = session.close().await {
                tracing::debug!(
                    error = &error as &dyn std::error::Error,
                    "a replica's session was not closed in good order"
                );
            }
        }
        Ok(())
    }

    /// Waits until every replica shows `mark`. `state` is what is true meanwhile.
    pub(crate) async fn follow(&self, mark: Mark, state: &RunState) -> Result<(), ExecuteError> {
        let start = self.ports.clock.now();
        for replica in self.ports.replicas {
            let (mut session, mut pause, mut is_told) = (None, LOOK.0, false);
            loop {
                let seen = tokio::select! {
                    seen = self.shows(&mut session, replica, mark) => seen,
                    () = self.ports.clock.sleep(ANSWER) => Err(no_answer()),
                };
                if matches!(seen, Ok(true)) {
                    break;
                }
                let replica = replica.url().place();
                let waited = self.ports.clock.now().saturating_sub(start);
                if waited >= self.request.replica_wait {
                    let source = seen.err().map(Box::new);
                    let state = matches!(mark, Mark::Step(_)).then(|| Box::new(state.clone()));
                    return Err(ExecuteError::ReplicaBehind { replica, waited, state, source });
                }
                if !is_told && pause > LOOK.0 {
                    self.hear(&Event::WaitingForReplica { replica });
                    is_told = true;
                }
                if self.is_stopped() {
                    return Err(ExecuteError::Interrupted(Box::new(state.clone())));
                }
                self.pause(pause.min(self.request.replica_wait - waited)).await;
                pause = (pause * 2).min(LOOK.1);
            }
        }
        Ok(())
    }

    /// Whether the replica shows `mark` now. After an error the next look has a session of its own.
    async fn shows(
        &self,
        session: &mut Option<Box<dyn Session>>,
        replica: &Arc<dyn Connector>,
        mark: Mark,
    ) -> Result<bool, ExecuteError> {
        let mut open = match session.take() {
            Some(open) => open,
            None => open(replica).await.map_err(ExecuteError::database("connect to it"))?,
        };
        let (ledger, scope) = (self.ports.ledger, self.scope.as_str());
        let is_there = ledger.is_there(open.as_mut()).await?
            && match mark {
                Mark::Step(number) => ledger
                    .steps(open.as_mut(), scope)
                    .await?
                    .iter()
                    .any(|step| step.run == self.id && step.number == number && step.state == StepState::Done),
                Mark::Entry(id) => {
                    ledger.history(open.as_mut(), scope, 1).await?.first().is_some_and(|entry| entry.id >= id)
                }
            };
        *session = Some(open);
        Ok(is_there)
    }
}

fn no_answer() -> ExecuteError {
    let words = format!("no answer in {} s", ANSWER.as_secs());
    ExecuteError::database("ask it")(DbError::new(DbErrorKind::ConnectionLost, words))
}

async fn open(replica: &Arc<dyn Connector>) -> Result<Box<dyn Session>, DbError> {
    let options =
        ConnectOptions { application_name: "trueup replica".to_owned(), read_only: true, ..ConnectOptions::default() };
    replica.connect(&options).await
}
