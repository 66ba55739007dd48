//! Domains.

use trueup_plan::{DomainChange, Statement};
use trueup_schema::{Domain, DomainCheck, QualName};

use super::words::{Rendered, collate, run, type_sql};
use crate::sql::Sql;

/// Checks that are not validated come afterwards: a new domain has no values that they could spare.
pub(super) fn create(name: &QualName, domain: &Domain) -> Vec<Statement> {
    let mut sql = Sql::new("CREATE DOMAIN").qualified(name).words("AS").words(type_sql(&domain.base));
    sql = collate(sql, domain.collation.as_ref());
    if let Some(default) = &domain.default {
        sql = sql.words("DEFAULT").expr(default);
    }
    sql = sql.words_if(domain.not_null, "NOT NULL");
    for it in domain.checks.iter().filter(|check| check.validated) {
        sql = sql.then(check(it));
    }
    let mut statements = vec![run(&sql)];
    for it in domain.checks.iter().filter(|check| !check.validated) {
        statements.push(run(&alter_sql(name, &DomainChange::AddCheck(it.clone()))));
    }
    statements
}

pub(super) fn alter(name: &QualName, change: &DomainChange) -> Rendered {
    Ok(vec![run(&alter_sql(name, change))])
}

fn alter_sql(name: &QualName, change: &DomainChange) -> Sql {
    let alter = Sql::new("ALTER DOMAIN").qualified(name);
    match change {
        DomainChange::Default { after: Some(after), .. } => alter.words("SET DEFAULT").expr(after),
        DomainChange::Default { after: None, .. } => alter.words("DROP DEFAULT"),
        DomainChange::NotNull(true) => alter.words("SET NOT NULL"),
        DomainChange::NotNull(false) => alter.words("DROP NOT NULL"),
        DomainChange::AddCheck(it) => alter.words("ADD").then(check(it)).words_if(!it.validated, "NOT VALID"),
        DomainChange::DropCheck(it) => alter.words("DROP CONSTRAINT").name(&it.name),
        DomainChange::ValidateCheck(it) => alter.words("VALIDATE CONSTRAINT").name(&it.name),
    }
}

fn check(check: &DomainCheck) -> Sql {
    Sql::new("CONSTRAINT").name(&check.name).words("CHECK").parenthesised(&check.expr)
}
