//! Reads everything.

use std::collections::{BTreeMap, BTreeSet};

use trueup_dialect::mysql;
use trueup_plan::{LiveFacts, Server, TableSize, Unmanaged};
use trueup_schema::{
    Common, Dependency, Form, Ident, Namespace, ObjectRef, QualName, Schema, Sequence, SqlExpr, Strength, Table,
    ViewColumn,
};
use trueup_session::{DbErrorKind, Row, Session};

use super::catalog::{Catalog, CheckRow, CodeRow, DatabaseRow, KeyRow, ReferenceRow, RuleRow, TableRows};
use super::definitions::{Wanted, definitions};
use super::queries::ACCOUNT;
use super::shown::Shown;
use super::spelling::spelling;
use super::{assemble, code, depends, sequence};
use crate::{IntrospectError, Introspected, Request};

/// Tables of trueup's own begin like this.
const CONTROL: &str = "_trueup_";

/// Reads the databases that `request` asks for, in the flavour of `catalog`.
pub(crate) async fn read(
    catalog: &'static Catalog,
    session: &mut dyn Session,
    request: &Request,
) -> Result<Introspected, IntrospectError> {
    let info = session.server();
    if info.version[..2] < catalog.oldest[..] {
        return Err(IntrospectError::Version { server: info.version_text.clone(), supported: catalog.supported });
    }
    let server = Server {
        dialect: catalog.dialect,
        version: info.version,
        default_namespace: info.default_namespace.as_ref().and_then(|name| Ident::new(name).ok()),
    };
    let mode = info.sql_mode.clone();
    let mut reading = Reading::new(catalog, server);
    reading.facts.settings.extend(catalog.settings(session).await?);
    reading.facts.settings.extend(mode.map(|mode| ("sql_mode".to_owned(), mode)));
    let databases = catalog.databases(session, &request.namespaces).await?;
    let names: Vec<Ident> = databases.iter().map(|row| row.name.clone()).collect();
    let tables = reading.tables(session, &names, request.facts).await?;
    let code = catalog.code(session, &names).await?;
    reading.namespaces(databases);
    reading.objects(&tables, &code);
    reading.shown = definitions(session, catalog.dialect, &reading.wanted(&tables, &code, request.spelled)).await?;
    reading.relations(&tables);
    reading.code(&code);
    reading.unqualify();
    depends::fill(&mut reading.schema);
    if request.facts {
        reading.sizes(session, &tables).await?;
    }
    let shown = if request.spelled { reading.printed() } else { BTreeMap::new() };
    Ok(Introspected { schema: reading.schema, facts: reading.facts, unmanaged: reading.unmanaged, shown })
}

/// What has been read so far.
struct Reading {
    catalog: &'static Catalog,
    schema: Schema,
    facts: LiveFacts,
    unmanaged: Vec<Unmanaged>,
    /// Names of relations and routines by database.
    names: BTreeMap<Ident, mysql::Objects>,
    /// What SHOW CREATE says.
    shown: BTreeMap<Wanted, Row>,
}

impl Reading {
    const fn new(catalog: &'static Catalog, server: Server) -> Self {
        let mut schema = Schema::new(catalog.dialect);
        schema.form = Form::Canonical { dialect: catalog.dialect, major: server.version[0] };
        let facts = LiveFacts::of(server);
        Self { catalog, schema, facts, unmanaged: Vec::new(), names: BTreeMap::new(), shown: BTreeMap::new() }
    }

    /// The tables that were read, as the server prints them.
    fn printed(&self) -> BTreeMap<QualName, String> {
        let text = |name: &QualName| Some((name.clone(), self.shown("TABLE", name, 1)?.to_owned()));
        self.schema.tables.keys().filter_map(text).collect()
    }

    /// What SHOW CREATE has to say, because the catalog's rows do not.
    fn wanted(&self, tables: &[TableRows], code: &[CodeRow], spelled: bool) -> Vec<Wanted> {
        let relation = |rows: &TableRows| {
            let kind = match rows.kind.as_str() {
                "VIEW" => "VIEW",
                "SEQUENCE" => "SEQUENCE",
                _ if is_table(rows) && (spelled || (self.catalog.needs_showing)(rows)) => "TABLE",
                _ => return None,
            };
            let is_ours = rows.name.as_str().starts_with(CONTROL);
            (!is_ours).then(|| (kind.to_owned(), QualName::new(Some(rows.database.clone()), rows.name.clone())))
        };
        let body = |row: &CodeRow| {
            let is_wanted = match row.kind.as_str() {
                "EVENT" => !code::is_plain(row.text(0)),
                "LIBRARY" => false,
                _ => true,
            };
            is_wanted.then(|| (row.kind.clone(), QualName::new(Some(row.database.clone()), row.name.clone())))
        };
        tables.iter().filter_map(relation).chain(code.iter().filter_map(body)).collect()
    }

    /// The tables with all that the catalog's rows say about them.
    async fn tables(
        &self,
        session: &mut dyn Session,
        names: &[Ident],
        sizes: bool,
    ) -> Result<Vec<TableRows>, IntrospectError> {
        let rows = self.catalog.tables(session, names, sizes).await?;
        let mut tables: BTreeMap<(Ident, Ident), TableRows> =
            rows.into_iter().map(|row| ((row.database.clone(), row.name.clone()), row)).collect();
        for (database, table, column) in self.catalog.columns(session, names).await? {
            if let Some(table) = tables.get_mut(&(database, table)) {
                table.columns.push(column);
            }
        }
        for (database, table, part) in self.catalog.indexes(session, names).await? {
            if let Some(table) = tables.get_mut(&(database, table)) {
                table.parts.push(part);
            }
        }
        keys(&mut tables, self.catalog.keys(session, names).await?);
        let mut tables: Vec<TableRows> = tables.into_values().collect();
        tables.iter_mut().for_each(|table| table.columns.sort_by_key(|column| column.position));
        Ok(tables)
    }

    fn namespaces(&mut self, rows: Vec<DatabaseRow>) {
        for row in rows {
            let options = [("charset", row.charset), ("collation", row.collation)];
            let options = options.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
            let comment = (!row.comment.is_empty()).then_some(row.comment);
            self.schema.insert(Namespace { name: row.name, options, common: Common { comment, ..Common::default() } });
        }
    }

    fn objects(&mut self, tables: &[TableRows], code: &[CodeRow]) {
        let mut names: BTreeMap<Ident, BTreeSet<&str>> = BTreeMap::new();
        for table in tables {
            names.entry(table.database.clone()).or_default().insert(table.name.as_str());
        }
        for row in code.iter().filter(|row| !matches!(row.kind.as_str(), "TRIGGER" | "EVENT")) {
            names.entry(row.database.clone()).or_default().insert(row.name.as_str());
        }
        self.names = names.into_iter().map(|(name, list)| (name, mysql::Objects::new(list))).collect();
    }

    fn relations(&mut self, tables: &[TableRows]) {
        for rows in tables {
            let name = QualName::new(Some(rows.database.clone()), rows.name.clone());
            if rows.name.as_str().starts_with(CONTROL) {
                self.facts.taken.insert(name);
                continue;
            }
            let read = match rows.kind.as_str() {
                _ if is_table(rows) => self.table(rows, &name),
                "VIEW" => self.view(rows, &name),
                "SEQUENCE" => self.sequence(&name),
                _ => false,
            };
            if !read {
                self.facts.taken.insert(name.clone());
                let is_duality = self.shown("VIEW", &name, 1).is_some_and(code::is_duality_view);
                let kind = if is_duality { "JSON duality view".to_owned() } else { rows.kind.to_ascii_lowercase() };
                self.unmanaged.push(Unmanaged {
                    kind,
                    name: name.to_string(),
                    namespace: name.namespace.clone(),
                    table: None,
                    definition: rows.comment.clone(),
                    depends_on: Vec::new(),
                });
            }
        }
    }

    fn table(&mut self, rows: &TableRows, name: &QualName) -> bool {
        // One without columns was dropped meanwhile, or they are not for this account to see.
        if rows.columns.is_empty() {
            return false;
        }
        let needs = (self.catalog.needs_showing)(rows);
        let shown = self.shown("TABLE", name, 1).map(|text| Shown::read(&mysql::tokens(text)));
        if needs && shown.is_none() {
            // Read as far as the catalog's rows go, and said to be more.
            self.unmanaged.push(Unmanaged {
                kind: "part of a table".to_owned(),
                name: name.to_string(),
                namespace: name.namespace.clone(),
                table: Some(name.clone()),
                definition: String::new(),
                depends_on: Vec::new(),
            });
        }
        // Where the rows are enough, nothing else is taken: a table reads the same whether it was shown or not.
        let taken = shown.as_ref().filter(|_| needs);
        let mut table = assemble::table(rows, taken, self.catalog.default);
        (self.catalog.finish)(&mut table, rows, taken);
        if let Some(shown) = &shown {
            table.spelled = true;
            let spelling = spelling(&table, shown, self.catalog.dialect);
            table.spell(&spelling);
        }
        self.schema.insert(table);
        true
    }

    fn view(&mut self, rows: &TableRows, name: &QualName) -> bool {
        let shown = self.shown("VIEW", name, 1).filter(|shown| !code::is_duality_view(shown));
        let Some(shown) = shown else { return false };
        let Some(mut view) = code::view(name.clone(), shown, self.account()) else { return false };
        let column = |row: &super::catalog::ColumnRow| ViewColumn {
            data_type: row.data_type.clone(),
            ..ViewColumn::new(row.name.clone())
        };
        view.columns = rows.columns.iter().map(column).collect();
        self.schema.insert(view);
        true
    }

    fn sequence(&mut self, name: &QualName) -> bool {
        let Some(options) = self.shown("SEQUENCE", name, 1).and_then(sequence::options) else { return false };
        let common = Common::default();
        self.schema.insert(Sequence { name: name.clone(), options, unlogged: false, owned_by: None, common });
        true
    }

    /// The column `at` of SHOW CREATE.
    fn shown(&self, kind: &str, name: &QualName, at: usize) -> Option<&str> {
        self.shown.get(&(kind.to_owned(), name.clone())).and_then(|row| row.text(at).ok())
    }

    fn account(&self) -> &str {
        self.facts.settings.get(ACCOUNT).map(String::as_str).unwrap_or_default()
    }

    fn code(&mut self, rows: &[CodeRow]) {
        let mut rows: Vec<&CodeRow> = rows.iter().collect();
        let order = |row: &CodeRow| row.text(6).parse::<u32>().unwrap_or_default();
        rows.sort_by_key(|row| (row.kind.clone(), row.database.clone(), order(row), row.name.clone()));
        // The last trigger so far of each table, time and event.
        let mut last: BTreeMap<[String; 4], Ident> = BTreeMap::new();
        let utc = self.facts.settings.get("system_time_zone").is_some_and(|zone| zone == "UTC");
        let account = self.account().to_owned();
        for row in rows {
            let name = QualName::new(Some(row.database.clone()), row.name.clone());
            let read = match row.kind.as_str() {
                "TRIGGER" => {
                    let place = [row.database.as_str(), row.text(3), row.text(4), row.text(5)].map(str::to_owned);
                    let follows = last.insert(place, row.name.clone());
                    let shown = self.shown("TRIGGER", &name, 2);
                    let made = shown.and_then(|shown| code::trigger(row, shown, follows.as_ref(), &account));
                    made.map(|trigger| self.trigger(trigger, follows))
                }
                "EVENT" => {
                    let body = self.event_body(row, &name);
                    body.map(|body| drop(self.schema.insert(code::event(row, &body, &account, utc))))
                }
                "FUNCTION" | "PROCEDURE" => {
                    let shown = self.shown(&row.kind, &name, 2);
                    let made = shown.and_then(|shown| code::routine(row, shown, &account));
                    made.map(|routine| drop(self.schema.insert(routine)))
                }
                _ => None,
            };
            if read.is_none() {
                self.unmanaged.push(row.unmanaged(&row.kind.to_ascii_lowercase()));
            }
        }
    }

    fn trigger(&mut self, mut trigger: trueup_schema::Trigger, follows: Option<Ident>) {
        let id = |name| ObjectRef::Trigger(trueup_schema::PartId { table: trigger.id.table.clone(), name });
        let needs = follows.map(|name| Dependency { on: id(name), strength: Strength::Hard });
        trigger.depends_on.extend(needs);
        self.schema.insert(trigger);
    }

    /// The body of an event: the catalog's text where that is exact, else the one that is shown.
    fn event_body(&self, row: &CodeRow, name: &QualName) -> Option<String> {
        if code::is_plain(row.text(0)) {
            return Some(row.text(0).trim_end().trim_end_matches(';').trim_end().to_owned());
        }
        self.shown("EVENT", name, 3).and_then(|shown| code::event_body(shown, code::quoting(row)))
    }

    /// Takes the names of the objects' own databases out of texts.
    fn unqualify(&mut self) {
        let names = &self.names;
        let drop_under = |home: &Option<Ident>, text: &mut SqlExpr, quoting: mysql::Quoting| {
            let Some(home) = home else { return };
            if let Some(objects) = names.get(home) {
                *text = SqlExpr(mysql::drop_qualifier_under(text.as_str(), home.as_str(), objects, quoting));
            }
        };
        let drop = |home: &Option<Ident>, text: &mut SqlExpr| drop_under(home, text, mysql::Quoting::default());
        let mode = |settings: &trueup_schema::Parameters| {
            settings.get("sql_mode").map(|mode| mysql::Quoting::of(mode)).unwrap_or_default()
        };
        for table in self.schema.tables.values_mut() {
            let home = table.name.namespace.clone();
            texts(table).for_each(|text| drop(&home, text));
        }
        for view in self.schema.views.values_mut() {
            drop(&view.name.namespace, &mut view.query);
        }
        for trigger in self.schema.triggers.values_mut() {
            drop_under(&trigger.id.table.namespace, &mut trigger.definition, mode(&trigger.settings));
        }
        for routine in self.schema.routines.values_mut() {
            drop_under(&routine.id.name.namespace, &mut routine.definition, mode(&routine.settings));
        }
        for object in self.schema.objects.values_mut() {
            let home = object.id.namespace.clone();
            object.create.iter_mut().for_each(|text| drop(&home, text));
        }
    }

    /// Sizes as the server estimates them. A table is only called empty when it was asked.
    async fn sizes(&mut self, session: &mut dyn Session, tables: &[TableRows]) -> Result<(), IntrospectError> {
        let is_local = |engine: &str| matches!(engine, "InnoDB" | "MyISAM" | "Aria" | "MEMORY" | "ROCKSDB");
        let known: Vec<(QualName, &TableRows)> = tables
            .iter()
            .map(|rows| (QualName::new(Some(rows.database.clone()), rows.name.clone()), rows))
            .filter(|(name, _)| self.schema.tables.contains_key(name))
            .collect();
        for (name, rows) in &known {
            self.facts.sizes.insert(name.clone(), TableSize { rows: rows.rows, bytes: rows.bytes, empty: false });
        }
        let local = known.iter().filter(|(_, rows)| rows.engine.as_deref().is_some_and(is_local));
        let names: Vec<&QualName> = local.map(|(name, _)| name).collect();
        for chunk in names.chunks(200) {
            let asked: Vec<String> = chunk
                .iter()
                .map(|name| format!("NOT EXISTS (SELECT 1 FROM {})", name.quoted(self.catalog.dialect)))
                .collect();
            match session.query(&format!("SELECT {}", asked.join(", ")), &[]).await {
                Ok(rows) => {
                    for (at, name) in chunk.iter().enumerate() {
                        let empty = rows.first().is_some_and(|row| row.int(at).is_ok_and(|flag| flag == 1));
                        self.facts.sizes.entry((*name).clone()).and_modify(|size| size.empty = empty);
                    }
                }
                Err(source) if source.kind == DbErrorKind::ConnectionLost => {
                    return Err(IntrospectError::Query { what: "rows of tables", source });
                }
                // One that cannot be read is not known to be empty, and neither are those asked with it.
                Err(error) => tracing::debug!(%error, "rows not counted"),
            }
        }
        Ok(())
    }
}

/// Whether it holds rows of its own, as far as the catalog says.
fn is_table(rows: &TableRows) -> bool {
    matches!(rows.kind.as_str(), "BASE TABLE" | "SYSTEM VERSIONED") && rows.engine.is_some()
}

/// Every SQL text of a table.
fn texts(table: &mut Table) -> impl Iterator<Item = &mut SqlExpr> {
    table.columns.iter_mut().flat_map(|column| {
        let generated = column.generated.as_mut().map(|generated| &mut generated.expr);
        column.default.as_mut().into_iter().chain(generated)
    })
}

/// Hands foreign keys and checks to their tables.
fn keys(tables: &mut BTreeMap<(Ident, Ident), TableRows>, rows: Vec<KeyRow>) {
    // MySQL keeps the table of a check, and whether it is enforced, in another place than the check.
    let mut enforced: BTreeMap<(Ident, Ident), (Option<Ident>, bool)> = BTreeMap::new();
    for row in &rows {
        if row.kind == "enforced" {
            let is_enforced = row.texts.first().and_then(Option::as_deref) != Some("NO");
            enforced.insert((row.database.clone(), row.name.clone()), (row.table.clone(), is_enforced));
        }
    }
    for row in rows {
        let mut texts = row.texts.into_iter().map(Option::unwrap_or_default);
        let mut text = || texts.next().unwrap_or_default();
        let place = enforced.get(&(row.database.clone(), row.name.clone()));
        let table = row.table.or_else(|| place.and_then(|(table, _)| table.clone()));
        let Some(table) = table.and_then(|name| tables.get_mut(&(row.database.clone(), name))) else { continue };
        match row.kind.as_str() {
            "column" => {
                let names = [text(), text(), text(), text()].map(|name| Ident::new(name).ok());
                if let [Some(column), Some(database), Some(target), Some(referenced)] = names {
                    let (name, position) = (row.name, row.position);
                    table.references.push(ReferenceRow { name, position, column, database, table: target, referenced });
                }
            }
            "rule" => table.rules.push(RuleRow { name: row.name, update: text(), delete: text() }),
            "check" => {
                let (clause, level) = (text(), text());
                let is_enforced = place.is_none_or(|(_, is_enforced)| *is_enforced);
                table.checks.push(CheckRow {
                    name: row.name,
                    clause,
                    at_column: level == "Column",
                    enforced: is_enforced,
                });
            }
            _ => {}
        }
    }
}
