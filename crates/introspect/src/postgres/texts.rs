//! Triggers, policies, and objects that are kept as text.

use trueup_plan::Unmanaged;
use trueup_schema::{
    Common, Dependency, DialectId, Ident, ObjectRef, Opaque, OpaqueId, PartId, Policy, QualName, Schema, SqlExpr,
    Trigger,
};
use trueup_session::Row;

use super::build::Context;
use super::reader::{Reader, ident, printed_name, unclear};
use super::sql::class;
use super::{objects, unmanaged};
use crate::{IntrospectError, NamespaceFilter};

/// An entry as the catalog keeps it; which text is what depends on the kind.
#[derive(Debug)]
pub(super) struct Raw<'a> {
    pub(super) kind: &'a str,
    pub(super) oid: i64,
    pub(super) namespace: i64,
    pub(super) relation: i64,
    pub(super) name: &'a str,
    pub(super) texts: [Option<&'a str>; 4],
    pub(super) list: Option<Vec<&'a str>>,
    flag: bool,
}

impl<'a> Raw<'a> {
    pub(super) fn read(row: &'a Row) -> Result<Self, IntrospectError> {
        let mut row = Reader::new(row, "triggers and other objects");
        Ok(Self {
            kind: row.text()?,
            oid: row.int()?,
            namespace: row.int()?,
            relation: row.int()?,
            name: row.text()?,
            texts: [row.text_or_null()?, row.text_or_null()?, row.text_or_null()?, row.text_or_null()?],
            list: row.texts_or_null()?,
            flag: row.flag()?,
        })
    }

    fn text(&self, at: usize) -> &'a str {
        self.texts.get(at).copied().flatten().unwrap_or_default()
    }
}

/// Puts triggers, policies and opaque objects into `schema`; returns what is not modelled.
pub(super) fn build(context: &Context<'_>, schema: &mut Schema) -> Result<Vec<Unmanaged>, IntrospectError> {
    let mut others = Vec::new();
    for row in &context.raw.texts {
        let raw = Raw::read(row)?;
        if raw.kind == "unmanaged" {
            others.extend(unmanaged::entry(context, &raw)?);
            continue;
        }
        if raw.kind == "object" {
            if let Some(object) = objects::object(context, &raw)? {
                schema.insert(object);
            }
            continue;
        }
        let table = context.names.relation(raw.relation).cloned();
        let is_member = context.names.extension_of(class::CLASS, raw.relation).is_some();
        match (raw.kind, table) {
            (_, Some(_)) if is_member => {}
            ("trigger", Some(table)) => drop(schema.insert(trigger(context, &raw, table)?)),
            ("policy", Some(table)) => drop(schema.insert(policy(context, &raw, table)?)),
            ("rule", Some(table)) => drop(schema.insert(rule(context, &raw, &table))),
            ("statistics", _) if context.names.extension_of(class::STATISTIC, raw.oid).is_none() => {
                schema.insert(statistics(context, &raw)?);
            }
            ("event trigger", _) if is_event_trigger_in_scope(context, &raw) => {
                schema.insert(event_trigger(context, &raw)?);
            }
            _ => {}
        }
    }
    Ok(others)
}

fn enabled(letter: &str) -> &'static str {
    match letter {
        "D" => "disabled",
        "R" => "replica",
        "A" => "always",
        _ => "origin",
    }
}

/// The words between `ALTER TABLE …` and the name of a trigger or rule that is not enabled in the usual way.
fn enabling(letter: &str) -> Option<&'static str> {
    match letter {
        "D" => Some("DISABLE"),
        "R" => Some("ENABLE REPLICA"),
        "A" => Some("ENABLE ALWAYS"),
        _ => None,
    }
}

fn without(mut depends_on: Vec<Dependency>, table: &QualName) -> Vec<Dependency> {
    depends_on.retain(|it| !matches!(&it.on, ObjectRef::Table(on) | ObjectRef::View(on) if on == table));
    depends_on
}

fn trigger(context: &Context<'_>, raw: &Raw<'_>, table: QualName) -> Result<Trigger, IntrospectError> {
    Ok(Trigger {
        definition: SqlExpr::new(raw.text(0)),
        source: None,
        enabled: enabled(raw.text(1)).to_owned(),
        settings: trueup_schema::Parameters::new(),
        comment: context.comment(class::TRIGGER, raw.oid, 0),
        depends_on: without(context.depends(class::TRIGGER, raw.oid, 0), &table),
        id: PartId { table, name: ident(raw.name)? },
    })
}

fn policy(context: &Context<'_>, raw: &Raw<'_>, table: QualName) -> Result<Policy, IntrospectError> {
    let command = match raw.text(0) {
        "r" => "SELECT",
        "a" => "INSERT",
        "w" => "UPDATE",
        "d" => "DELETE",
        _ => "ALL",
    };
    let mut roles: Vec<String> = raw.list.iter().flatten().map(|role| (*role).to_owned()).collect();
    roles.sort();
    Ok(Policy {
        restrictive: raw.flag,
        command: command.to_owned(),
        roles,
        using: raw.texts[1].map(SqlExpr::new),
        check: raw.texts[2].map(SqlExpr::new),
        comment: context.comment(class::POLICY, raw.oid, 0),
        depends_on: without(context.depends(class::POLICY, raw.oid, 0), &table),
        id: PartId { table, name: ident(raw.name)? },
    })
}

fn quoted(name: &str) -> Result<String, IntrospectError> {
    ident(name).map(|name| name.quoted(DialectId::Postgres))
}

fn rule(context: &Context<'_>, raw: &Raw<'_>, table: &QualName) -> Opaque {
    let on = table.quoted(DialectId::Postgres);
    let name = ident(raw.name).map_or_else(|_| raw.name.to_owned(), |name| name.quoted(DialectId::Postgres));
    let mut create = vec![SqlExpr::new(raw.text(0).trim_end_matches(';'))];
    if let Some(words) = enabling(raw.text(1)) {
        create.push(SqlExpr::new(format!("ALTER TABLE {on} {words} RULE {name}")));
    }
    let mut common = Common {
        comment: context.comment(class::REWRITE, raw.oid, 0),
        depends_on: context.depends(class::REWRITE, raw.oid, 0),
        ..Common::default()
    };
    if let Some(own) = context.names.objects.get(&(class::CLASS, raw.relation)) {
        common.depends_on.push(Dependency::hard(own.clone()));
        common.depends_on.sort();
        common.depends_on.dedup();
    }
    Opaque {
        id: OpaqueId {
            kind: raw.kind.to_owned(),
            namespace: table.namespace.clone(),
            table: Some(table.clone()),
            name: raw.name.to_owned(),
        },
        create,
        drop: SqlExpr::new(format!("DROP RULE {name} ON {on}")),
        comment_target: Some(SqlExpr::new(format!("RULE {name} ON {on}"))),
        parts: Vec::new(),
        roles: Vec::new(),
        common,
    }
}

fn statistics(context: &Context<'_>, raw: &Raw<'_>) -> Result<Opaque, IntrospectError> {
    let name = context.names.qualified(raw.namespace, ident(raw.name)?)?;
    let quoted = name.quoted(DialectId::Postgres);
    let mut create = vec![SqlExpr::new(raw.text(0))];
    if let Some(target) = raw.texts[1] {
        create.push(SqlExpr::new(format!("ALTER STATISTICS {quoted} SET STATISTICS {target}")));
    }
    Ok(Opaque {
        id: OpaqueId { kind: raw.kind.to_owned(), namespace: name.namespace, table: None, name: raw.name.to_owned() },
        create,
        drop: SqlExpr::new(format!("DROP STATISTICS {quoted}")),
        comment_target: Some(SqlExpr::new(format!("STATISTICS {quoted}"))),
        parts: Vec::new(),
        roles: Vec::new(),
        common: context.common(class::STATISTIC, raw.oid, raw.text(2), None)?,
    })
}

/// One belongs to no namespace: it is read with the function that it calls.
fn is_event_trigger_in_scope(context: &Context<'_>, raw: &Raw<'_>) -> bool {
    let all = context.request.namespaces == NamespaceFilter::All;
    let member = context.names.extension_of(class::EVENT_TRIGGER, raw.oid).is_some();
    !member && (all || context.raw.namespaces.contains(&raw.namespace))
}

fn event_trigger(context: &Context<'_>, raw: &Raw<'_>) -> Result<Opaque, IntrospectError> {
    let name = quoted(raw.name)?;
    let function = printed_name(raw.text(2))?.quoted(DialectId::Postgres);
    let event = raw.text(0);
    let mut sql = format!("CREATE EVENT TRIGGER {name} ON {event}");
    if let Some(tags) = &raw.list {
        let tags: Vec<String> = tags.iter().map(|tag| format!("'{}'", tag.replace('\'', "''"))).collect();
        sql = format!("{sql} WHEN TAG IN ({})", tags.join(", "));
    }
    let mut create = vec![SqlExpr::new(format!("{sql} EXECUTE FUNCTION {function}()"))];
    if let Some(words) = enabling(raw.text(1)) {
        create.push(SqlExpr::new(format!("ALTER EVENT TRIGGER {name} {words}")));
    }
    if event.is_empty() {
        return Err(unclear(raw.name, "an event trigger without an event"));
    }
    Ok(Opaque {
        id: OpaqueId { kind: raw.kind.to_owned(), namespace: None, table: None, name: raw.name.to_owned() },
        create,
        drop: SqlExpr::new(format!("DROP EVENT TRIGGER {name}")),
        comment_target: Some(SqlExpr::new(format!("EVENT TRIGGER {name}"))),
        parts: Vec::new(),
        roles: Vec::new(),
        common: context.common(class::EVENT_TRIGGER, raw.oid, raw.text(3), None)?,
    })
}

/// The namespace of an entry, by name.
pub(super) fn namespace_of(context: &Context<'_>, raw: &Raw<'_>) -> Option<Ident> {
    context.names.namespace(raw.namespace).cloned()
}
