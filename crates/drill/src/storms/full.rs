//! A disk that is full at many points of a run.

use anyhow::{Context, Result, bail, ensure};
use trueup::session::Session;

use crate::arena::{Arena, Place};
use crate::crash::Wanted;
use crate::job::Job;
use crate::kinds::{Kind, kinds};
use crate::process::spawn;

/// Rows that make a rebuild long: each of them has a page to itself.
const MANY: &str = "WITH RECURSIVE k (id) AS (SELECT 100 UNION ALL SELECT id + 1 FROM k WHERE id < 400) \
     INSERT INTO a (id, n, s) SELECT id, id, printf('%.*c', 3000, 'x') FROM k";

/// Rebuilds and what is like them, at every page count between what is there and what is needed.
pub(crate) async fn full(place: &Place, wanted: &Wanted) -> Result<String> {
    let arena = Arena::new(place)?;
    let (mut points, mut refused, mut kinds_seen) = (0, 0, 0);
    let per_kind = wanted.sample.unwrap_or(40).clamp(2, 40);
    for kind in kinds(place.dialect()) {
        if !["set-not-null", "strict", "rebuild-beside-view", "add-foreign-key", "create-index", "add-unique"]
            .contains(&kind.name)
        {
            continue;
        }
        kinds_seen += 1;
        let (some, no) = full_of(&arena, &kind, per_kind, wanted).await.with_context(|| kind.name.to_owned())?;
        (points, refused) = (points + some, refused + no);
        if wanted.sample.is_some() && kinds_seen == 2 {
            break;
        }
    }
    ensure!(refused * 2 > points, "the disk was full in {refused} of {points} runs only");
    Ok(format!(
        "{kinds_seen} kinds, {points} runs, {refused} of them on a full disk: said so, changed nothing, intact; \
         each done once there was room"
    ))
}

async fn full_of(arena: &Arena, kind: &Kind, per_kind: usize, wanted: &Wanted) -> Result<(usize, usize)> {
    let mut kind = kind.clone();
    // Between the rows and what hangs on them.
    kind.before.insert(2, MANY.to_owned());
    arena.reset(&kind).await?;
    let (document, rows) = (arena.document(&kind).await?, arena.rows(&kind).await?);
    let before = pages(arena).await?;
    let job = Job::new(&arena.url()?, &document);
    spawn(&job, arena, wanted).await?.context("a run died")?.status.map_err(anyhow::Error::msg)?;
    let after = pages(arena).await?.max(before + 8);
    let (mut points, mut refused) = (0, 0);
    let step = ((after - before) / i64::try_from(per_kind)?).max(1);
    for limit in (before..after).step_by(usize::try_from(step)?) {
        arena.reset(&kind).await?;
        points += 1;
        let tight = Job { pages: Some(limit), ..job.clone() };
        match spawn(&tight, arena, wanted).await?.context("a run died")?.status {
            Err(why) => {
                ensure!(why.contains("full"), "at {limit} pages the error does not name what is missing: {why}");
                refused += 1;
                intact(arena).await.with_context(|| format!("at {limit} pages"))?;
            }
            // pages that were free already are enough
            Ok(word) if word == "synced" => {}
            Ok(word) => bail!("at {limit} pages: {word}"),
        }
        ensure!(arena.rows(&kind).await? == rows, "rows changed at {limit} pages");
        spawn(&job, arena, wanted).await?.context("a run died")?.status.map_err(anyhow::Error::msg)?;
        arena.check(&document).await?;
        ensure!(arena.rows(&kind).await? == rows, "rows changed after {limit} pages");
    }
    Ok((points, refused))
}

/// How many pages the file has that are used.
async fn pages(arena: &Arena) -> Result<i64> {
    let mut session = arena.session().await?;
    let pages = number(session.as_mut(), "PRAGMA page_count").await?;
    session.close().await?;
    Ok(pages)
}

/// The file is sound, and nothing of the run is in it.
async fn intact(arena: &Arena) -> Result<()> {
    let mut session = arena.session().await?;
    let wrong =
        number(session.as_mut(), "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'").await?;
    ensure!(wrong == 0, "the file is not sound");
    let left = "SELECT count(*) FROM sqlite_schema WHERE name LIKE '\\_trueup%' ESCAPE '\\' OR name LIKE '%new%'";
    let left = number(session.as_mut(), left).await?;
    ensure!(left == 0, "{left} objects of a run that came to nothing");
    Ok(session.close().await?)
}

async fn number(session: &mut dyn Session, sql: &str) -> Result<i64> {
    Ok(session.query(sql, &[]).await?.first().map_or(Ok(0), |row| row.int(0))?)
}
