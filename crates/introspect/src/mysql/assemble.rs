//! From the catalog's rows to tables.

use std::collections::BTreeMap;

use trueup_dialect::mysql;
use trueup_schema::{
    Column, Constraint, ConstraintKind, DataType, FkAction, ForeignKey, Generated, Ident, Index, IndexKey, IndexPart,
    Key, Partitioning, QualName, SqlExpr, Table,
};

use super::catalog::{CheckRow, ColumnRow, PartRow, ReferenceRow, RuleRow, TableRows};
use super::shown::Shown;

/// The table that the rows describe.
pub(super) fn table(rows: &TableRows, shown: Option<&Shown>, default: fn(&ColumnRow) -> Option<SqlExpr>) -> Table {
    let mut table = Table::new(QualName::new(Some(rows.database.clone()), rows.name.clone()));
    options(&mut table, rows);
    table.common.comment = some(&rows.comment);
    table.columns = rows.columns.iter().map(|row| column(row, shown, default)).collect();
    keys(&mut table, &rows.parts, rows.engine.as_deref().unwrap_or_default(), shown);
    table.constraints.extend(foreign_keys(&rows.references, &rows.rules));
    table.constraints.extend(rows.checks.iter().map(|row| check(row, shown)));
    table.partitioning = shown.and_then(|shown| {
        let by = SqlExpr::new(shown.partition_by.clone()?);
        Some(Partitioning { by, partitions: shown.partitions.iter().map(SqlExpr::new).collect() })
    });
    table
}

fn some(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

fn fold(name: &Ident) -> String {
    name.as_str().to_lowercase()
}

fn options(table: &mut Table, rows: &TableRows) {
    let mut put = |name: &str, value: &str| drop(table.options.parameters.insert(name.to_owned(), value.to_owned()));
    for (name, value) in mysql::create_options(&rows.options) {
        // Whether the other engine has its copy is state, and no option.
        if name == "secondary_load" {
            continue;
        }
        put(&name, &value);
    }
    if let Some(engine) = &rows.engine {
        put("engine", engine);
    }
    if let Some(collation) = &rows.collation {
        put("charset", mysql::charset_of(collation));
        put("collation", collation);
    }
}

fn column(row: &ColumnRow, shown: Option<&Shown>, default: fn(&ColumnRow) -> Option<SqlExpr>) -> Column {
    let key = fold(&row.name);
    // The width of a type may be followed by what is no part of it, in a comment for servers that know it.
    let (data_type, rest) = row.data_type.split_once("/*").unwrap_or((&row.data_type, ""));
    let mut column = Column::new(row.name.clone(), DataType::builtin(data_type.trim()));
    column.not_null = !row.nullable;
    column.comment = some(&row.comment);
    if let Some(collation) = &row.collation {
        column.attributes.insert("charset".to_owned(), mysql::charset_of(collation).to_owned());
        column.collation = Ident::new(collation).ok().map(|name| QualName::new(None, name));
    }
    if let Some(method) = compression(rest) {
        column.attributes.insert("compressed".to_owned(), method);
    }
    if let Some(srid) = row.srid {
        column.attributes.insert("srid".to_owned(), srid.to_string());
    }
    let extra = Extra::read(&row.extra);
    column.auto_increment = extra.auto_increment;
    column.attributes.extend(extra.attributes);
    if !row.generated.is_empty() {
        let text = shown.and_then(|shown| shown.generated.get(&key)).unwrap_or(&row.generated);
        column.generated = Some(Generated { expr: SqlExpr::new(text), stored: extra.stored });
    } else if let Some(text) = default(row) {
        // Only where the row has one: what is shown as DEFAULT NULL is none.
        let shown = shown.and_then(|shown| shown.defaults.get(&key));
        column.default = Some(shown.map_or(text, SqlExpr::new));
    }
    column
}

/// How a compressed column is compressed, from `!100301 COMPRESSED*/`; empty for the server's own choice.
fn compression(text: &str) -> Option<String> {
    let rest = text.split_once("COMPRESSED")?.1.trim_end_matches("*/").trim();
    Some(rest.trim_start_matches('=').trim_matches(|c| c == '`' || c == ' ').to_owned())
}

/// What the catalog keeps of a column in one text.
#[derive(Debug, Default, PartialEq, Eq)]
struct Extra {
    auto_increment: bool,
    stored: bool,
    attributes: trueup_schema::Parameters,
}

impl Extra {
    fn read(text: &str) -> Self {
        let mut rest = text.to_owned();
        let mut extra = Self::default();
        if let Some(at) = rest.to_ascii_lowercase().find("on update ") {
            let value = rest.split_off(at).split_off("on update ".len());
            let end = value.find([' ', ',']).unwrap_or(value.len());
            extra.attributes.insert("on_update".to_owned(), value[..end].to_owned());
            rest.push_str(&value[end..]);
        }
        let mut take = |words: &str| {
            let found = rest.to_ascii_lowercase().find(words);
            if let Some(at) = found {
                rest.replace_range(at..at + words.len(), "");
            }
            found.is_some()
        };
        extra.auto_increment = take("auto_increment");
        extra.stored = take("stored generated");
        take("virtual generated");
        take("default_generated");
        if take("without system versioning") {
            extra.attributes.insert("without_versioning".to_owned(), "true".to_owned());
        }
        if take("invisible") {
            extra.attributes.insert("invisible".to_owned(), "true".to_owned());
        }
        let unknown = rest.trim_matches([' ', ',']);
        if !unknown.is_empty() {
            extra.attributes.insert("extra".to_owned(), unknown.to_owned());
        }
        extra
    }
}

/// The primary key is a constraint. Every other key is an index, unique or not: on these servers a unique key is nothing else.
fn keys(table: &mut Table, rows: &[PartRow], engine: &str, shown: Option<&Shown>) {
    let mut list: BTreeMap<&Ident, Vec<&PartRow>> = BTreeMap::new();
    for row in rows {
        list.entry(&row.index).or_default().push(row);
    }
    for (name, mut rows) in list {
        rows.sort_by_key(|row| row.position);
        let Some(first) = rows.first() else { continue };
        let shown = shown.and_then(|shown| shown.keys.get(&fold(name)));
        let mut parts: Vec<IndexPart> = rows
            .iter()
            .enumerate()
            .filter_map(|(at, row)| part(row, shown.and_then(|key| key.exprs.get(at))))
            .collect();
        let mut parameters = shown.map(|key| key.options.clone()).unwrap_or_default();
        if let Some((key, period)) = shown.and_then(|key| Some((key, key.without_overlaps.as_ref()?))) {
            // The catalog lists the columns of the period instead.
            parts.truncate(key.exprs.len().saturating_sub(1));
            parameters.insert("without_overlaps".to_owned(), period.clone());
        }
        let own = mysql::default_method(engine);
        let method = Some(first.method.clone()).filter(|method| !method.is_empty() && method != own);
        if name.as_str() == "PRIMARY" {
            let key = Key { columns: parts, include: Vec::new(), nulls_not_distinct: false, without_overlaps: false };
            let mut constraint = Constraint::new(None, ConstraintKind::PrimaryKey(key));
            parameters.extend(method.map(|method| ("using".to_owned(), method)));
            constraint.parameters = parameters;
            constraint.comment = some(&first.comment);
            table.constraints.push(constraint);
            continue;
        }
        if let Some(parser) = shown.and_then(|key| key.parser.clone()) {
            parameters.insert("parser".to_owned(), parser);
        }
        if !first.used {
            parameters.insert("invisible".to_owned(), "true".to_owned());
        }
        let mut index = Index::new(name.clone(), parts);
        index.unique = first.unique;
        index.method = method;
        index.parameters = parameters;
        index.comment = some(&first.comment);
        table.indexes.push(index);
    }
}

fn part(row: &PartRow, shown: Option<&Option<String>>) -> Option<IndexPart> {
    let key = match (&row.column, &row.expr) {
        (Some(name), _) => IndexKey::Column(name.clone()),
        (None, Some(expr)) => {
            let shown = shown.and_then(Option::as_ref);
            IndexKey::Expr(SqlExpr::new(shown.unwrap_or(expr)))
        }
        (None, None) => return None,
    };
    // The prefix of a spatial index is the size of a bounding box.
    let prefix = row.prefix.filter(|_| row.method != "spatial").and_then(|length| u32::try_from(length).ok());
    Some(IndexPart { key, descending: row.descending, nulls_first: None, opclass: None, collation: None, prefix })
}

fn foreign_keys(rows: &[ReferenceRow], rules: &[RuleRow]) -> Vec<Constraint> {
    let mut list: BTreeMap<&Ident, Vec<&ReferenceRow>> = BTreeMap::new();
    for row in rows {
        list.entry(&row.name).or_default().push(row);
    }
    let make = |(name, mut rows): (&Ident, Vec<&ReferenceRow>)| {
        rows.sort_by_key(|row| row.position);
        let first = *rows.first()?;
        let rule = rules.iter().find(|rule| rule.name == *name);
        let key = ForeignKey {
            columns: rows.iter().map(|row| row.column.clone()).collect(),
            references: QualName::new(Some(first.database.clone()), first.table.clone()),
            referenced_columns: rows.iter().map(|row| row.referenced.clone()).collect(),
            on_delete: rule.map(|rule| action(&rule.delete)).unwrap_or_default(),
            on_delete_columns: Vec::new(),
            on_update: rule.map(|rule| action(&rule.update)).unwrap_or_default(),
            match_type: None,
            period: false,
        };
        Some(Constraint::new(Some(name.clone()), ConstraintKind::ForeignKey(key)))
    };
    list.into_iter().filter_map(make).collect()
}

/// RESTRICT and NO ACTION come to the same, but the servers tell them apart; one of them is what a key without a rule does.
fn action(words: &str) -> FkAction {
    match words {
        "CASCADE" => FkAction::Cascade,
        "SET NULL" => FkAction::SetNull,
        "SET DEFAULT" => FkAction::SetDefault,
        "RESTRICT" => FkAction::Restrict,
        _ => FkAction::NoAction,
    }
}

fn check(row: &CheckRow, shown: Option<&Shown>) -> Constraint {
    let list = shown.map(|shown| if row.at_column { &shown.column_checks } else { &shown.checks });
    let text = list.and_then(|list| list.get(&fold(&row.name))).unwrap_or(&row.clause);
    let column = row.at_column.then(|| row.name.clone());
    let kind = ConstraintKind::Check { expr: SqlExpr::new(text), no_inherit: false, column };
    let mut constraint = Constraint::new(Some(row.name.clone()), kind);
    constraint.enforced = row.enforced;
    constraint
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attributes(text: &str) -> String {
        let extra = Extra::read(text);
        let list: Vec<String> = extra.attributes.iter().map(|(name, value)| format!("{name}={value}")).collect();
        format!(
            "{}{}{}",
            if extra.auto_increment { "A " } else { "" },
            if extra.stored { "S " } else { "" },
            list.join(" ")
        )
    }

    #[test]
    fn extras_are_told_apart() {
        assert_eq!(attributes("auto_increment"), "A ");
        assert_eq!(attributes("DEFAULT_GENERATED on update CURRENT_TIMESTAMP(3)"), "on_update=CURRENT_TIMESTAMP(3)");
        assert_eq!(
            attributes("on update current_timestamp(), INVISIBLE"),
            "on_update=current_timestamp() invisible=true"
        );
        assert_eq!(attributes("STORED GENERATED, INVISIBLE"), "S invisible=true");
        assert_eq!(attributes("VIRTUAL GENERATED"), "");
        assert_eq!(attributes("NOT SECONDARY"), "extra=NOT SECONDARY");
    }

    #[test]
    fn compression_is_no_part_of_the_type() {
        assert_eq!(compression("!100301 COMPRESSED*/").as_deref(), Some(""));
        assert_eq!(compression(""), None);
    }
}
