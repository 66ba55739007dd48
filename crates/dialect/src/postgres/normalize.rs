//! A schema as the server would report it.

use std::collections::BTreeSet;

use trueup_schema::{
    Column, Common, Constraint, ConstraintKind, DialectId, ForeignKey, Form, Ident, IndexPart, Key, ObjectRef, PartId,
    QualName, Schema, Sequence, SequenceOptions, Table, TableOptions, UserTypeKind,
};

use super::names::{self, numbered};
use super::tokens::tokens;
use super::{literal, spelling};
use crate::{NameKind, TokenKind};

/// Brings `schema` into the server's form. Texts of a canonical schema are left alone: they are the server's own.
pub(super) fn normalise(schema: &mut Schema) {
    let declared = !matches!(schema.form, Form::Canonical { dialect: DialectId::Postgres, .. });
    serials(schema);
    for table in schema.tables.values_mut() {
        table.columns.iter_mut().for_each(|column| column_form(&table.name, column, declared));
        keys_refuse_null(table);
        options(&mut table.options);
        table.indexes.iter_mut().for_each(index);
    }
    references(schema);
    constraint_names(schema);
    for user_type in schema.types.values_mut() {
        type_form(&mut user_type.kind, declared);
    }
    for sequence in schema.sequences.values_mut() {
        sequence_options(&mut sequence.options);
    }
    for view in schema.views.values_mut() {
        let text = view.query.0.trim().trim_end_matches(';').trim_end();
        if text.len() != view.query.0.len() {
            view.query.0 = text.to_owned();
        }
        view.indexes.iter_mut().for_each(index);
    }
    for policy in schema.policies.values_mut() {
        policy.command = policy.command.to_uppercase();
        let everybody = policy.roles.is_empty() || policy.roles.iter().any(|role| role.eq_ignore_ascii_case("public"));
        if everybody {
            policy.roles = vec!["PUBLIC".to_owned()];
        }
    }
    grants(schema);
}

/// Counting pseudo-types become a sequence, a default and an owner.
fn serials(schema: &mut Schema) {
    let mut taken = relation_names(schema);
    let mut sequences = Vec::new();
    for table in schema.tables.values_mut() {
        for column in &mut table.columns {
            let Some(integer) = spelling::serial(&column.data_type) else { continue };
            let columns = std::slice::from_ref(&column.name);
            let Some(name) = numbered(NameKind::Sequence, &table.name.name, columns, |name| {
                taken.contains(&table.name.sibling(name.clone()))
            }) else {
                continue;
            };
            let name = table.name.sibling(name);
            taken.insert(name.clone());
            column.data_type = trueup_schema::DataType::builtin(integer);
            column.not_null = true;
            column.default = Some(literal::nextval(&name));
            column.depends_on.push(trueup_schema::Dependency::hard(ObjectRef::Sequence(name.clone())));
            let owner = PartId { table: table.name.clone(), name: column.name.clone() };
            let data_type = (integer != "bigint").then(|| integer.to_owned());
            sequences.push(Sequence {
                name,
                options: SequenceOptions { data_type, ..SequenceOptions::default() },
                unlogged: false,
                owned_by: Some(owner),
                common: Common::default(),
            });
        }
    }
    for sequence in sequences {
        schema.insert(sequence);
    }
}

/// Names in the space that tables, indexes, sequences and views share.
fn relation_names(schema: &Schema) -> BTreeSet<QualName> {
    let mut names: BTreeSet<QualName> = schema.tables.keys().chain(schema.views.keys()).cloned().collect();
    names.extend(schema.sequences.keys().cloned());
    for table in schema.tables.values() {
        names.extend(table.indexes.iter().map(|index| table.name.sibling(index.name.clone())));
    }
    for view in schema.views.values() {
        names.extend(view.indexes.iter().map(|index| view.name.sibling(index.name.clone())));
    }
    names
}

fn column_form(table: &QualName, column: &mut Column, declared: bool) {
    column.data_type = spelling::canonical(&column.data_type);
    if is_default_collation(column.collation.as_ref()) {
        column.collation = None;
    }
    if declared {
        column.default = column.default.take().and_then(|default| literal::default(default, &column.data_type));
    }
    if let Some(identity) = &mut column.identity {
        column.not_null = true;
        let own = column.data_type.to_string();
        if identity.options.data_type.as_ref().is_some_and(|it| *it == own) {
            identity.options.data_type = None;
        }
        let of_column = identity.options.data_type.is_none();
        if of_column {
            identity.options.data_type = Some(own);
        }
        sequence_options(&mut identity.options);
        if of_column {
            identity.options.data_type = None;
        }
        let generated = identity.sequence.as_ref().is_some_and(|name| {
            let columns = std::slice::from_ref(&column.name);
            name.namespace == table.namespace
                && names::is_generated(NameKind::Sequence, &table.name, columns, &name.name)
        });
        if generated {
            identity.sequence = None;
        }
    }
}

fn is_default_collation(collation: Option<&QualName>) -> bool {
    collation.is_some_and(|name| {
        let own = name.namespace.as_ref().is_none_or(|namespace| namespace.as_str() == "pg_catalog");
        own && name.name.as_str() == "default"
    })
}

/// Columns of a primary key refuse NULL.
fn keys_refuse_null(table: &mut Table) {
    let Some(key) = table.primary_key() else { return };
    let columns: BTreeSet<Ident> = key.columns.iter().filter_map(IndexPart::column_name).cloned().collect();
    for column in table.columns.iter_mut().filter(|column| columns.contains(&column.name)) {
        column.not_null = true;
    }
}

fn options(options: &mut TableOptions) {
    let is = |name: &Option<Ident>, text: &str| name.as_ref().is_some_and(|name| name.as_str() == text);
    if is(&options.access_method, "heap") {
        options.access_method = None;
    }
    if is(&options.tablespace, "pg_default") {
        options.tablespace = None;
    }
    if options.replica_identity.as_deref() == Some("default") {
        options.replica_identity = None;
    }
}

fn index(index: &mut trueup_schema::Index) {
    if let Some(method) = &mut index.method {
        *method = method.to_lowercase();
    }
    if index.method.as_deref() == Some("btree") {
        index.method = None;
    }
    for part in &mut index.parts {
        if part.nulls_first == Some(part.descending) {
            part.nulls_first = None;
        }
        if is_default_collation(part.collation.as_ref()) {
            part.collation = None;
        }
    }
}

/// A foreign key that names no columns refers to the primary key.
fn references(schema: &mut Schema) {
    let keys: Vec<(QualName, Vec<Ident>)> = schema
        .tables
        .values()
        .filter_map(|table| {
            let columns = table.primary_key()?.columns.iter().filter_map(IndexPart::column_name).cloned().collect();
            Some((table.name.clone(), columns))
        })
        .collect();
    for constraint in schema.tables.values_mut().flat_map(|table| &mut table.constraints) {
        if let ConstraintKind::ForeignKey(ForeignKey { references, referenced_columns, .. }) = &mut constraint.kind
            && referenced_columns.is_empty()
            && let Some((_, columns)) = keys.iter().find(|(name, _)| name == references)
        {
            referenced_columns.clone_from(columns);
        }
    }
}

/// Constraints without names get those that the server would give them.
fn constraint_names(schema: &mut Schema) {
    let mut relations = relation_names(schema);
    for table in schema.tables.values() {
        for constraint in &table.constraints {
            if let (Some(name), true) = (&constraint.name, has_index(&constraint.kind)) {
                relations.insert(table.name.sibling(name.clone()));
            }
        }
    }
    for table in schema.tables.values_mut() {
        let mut used: BTreeSet<Ident> = table.constraints.iter().filter_map(|it| it.name.clone()).collect();
        for at in 0..table.constraints.len() {
            let Some(constraint) = table.constraints.get(at).filter(|it| it.name.is_none()) else { continue };
            let (kind, columns) = name_parts(table, constraint);
            let is_relation = has_index(&constraint.kind);
            let is_taken = |name: &Ident| {
                used.contains(name) || (is_relation && relations.contains(&table.name.sibling(name.clone())))
            };
            let Some(name) = numbered(kind, &table.name.name, &columns, is_taken) else { continue };
            used.insert(name.clone());
            if is_relation {
                relations.insert(table.name.sibling(name.clone()));
            }
            if let Some(constraint) = table.constraints.get_mut(at) {
                constraint.name = Some(name);
            }
        }
    }
}

const fn has_index(kind: &ConstraintKind) -> bool {
    match kind {
        ConstraintKind::PrimaryKey(_) | ConstraintKind::Unique(_) | ConstraintKind::Exclude { .. } => true,
        ConstraintKind::Check { .. } | ConstraintKind::ForeignKey(_) => false,
    }
}

/// What the server makes the constraint's name from.
pub(super) fn name_parts(table: &Table, constraint: &Constraint) -> (NameKind, Vec<Ident>) {
    let key = |key: &Key| {
        let columns = key.columns.iter().filter_map(IndexPart::column_name);
        columns.chain(&key.include).cloned().collect::<Vec<_>>()
    };
    match &constraint.kind {
        ConstraintKind::PrimaryKey(_) => (NameKind::PrimaryKey, Vec::new()),
        ConstraintKind::Unique(parts) => (NameKind::Unique, key(parts)),
        ConstraintKind::Check { expr, .. } => {
            let mut columns = mentioned(table, expr.as_str());
            // Only a single column is told in the name of a check.
            let one = columns.len() == 1;
            columns.truncate(usize::from(one));
            (NameKind::Check, columns)
        }
        ConstraintKind::ForeignKey(key) => (NameKind::ForeignKey, key.columns.clone()),
        ConstraintKind::Exclude { definition } => {
            let text = definition.as_str();
            let parts = text.find(" WHERE ").map_or(text, |end| &text[..end]);
            (NameKind::Exclude, mentioned(table, parts))
        }
    }
}

/// Columns of the table that the text mentions, in order, each once.
fn mentioned(table: &Table, text: &str) -> Vec<Ident> {
    let mut found: Vec<Ident> = Vec::new();
    let solid: Vec<_> = tokens(text).into_iter().filter(crate::Token::is_solid).collect();
    for (at, token) in solid.iter().enumerate() {
        let Some(name) = token.name() else { continue };
        let name = if token.kind == TokenKind::Word { name.to_lowercase() } else { name };
        let called = solid.get(at + 1).is_some_and(|next| next.text == "(" || next.text == ".");
        let cast = at > 0 && solid.get(at - 1).is_some_and(|previous| previous.text == "::");
        let column = table.columns.iter().find(|column| column.name.as_str() == name);
        if let Some(column) = column.filter(|_| !called && !cast)
            && !found.contains(&column.name)
        {
            found.push(column.name.clone());
        }
    }
    found
}

fn type_form(kind: &mut UserTypeKind, declared: bool) {
    match kind {
        UserTypeKind::Enum { .. } => {}
        UserTypeKind::Domain(domain) => {
            domain.base = spelling::canonical(&domain.base);
            if is_default_collation(domain.collation.as_ref()) {
                domain.collation = None;
            }
            if declared {
                domain.default = domain.default.take().and_then(|default| literal::default(default, &domain.base));
            }
        }
        UserTypeKind::Composite { attributes } => {
            for attribute in attributes {
                attribute.data_type = spelling::canonical(&attribute.data_type);
                if is_default_collation(attribute.collation.as_ref()) {
                    attribute.collation = None;
                }
            }
        }
        UserTypeKind::Range(range) => range.subtype = spelling::canonical(&range.subtype),
    }
}

/// Options that say what is so by itself are left out.
fn sequence_options(options: &mut SequenceOptions) {
    if let Some(data_type) = &mut options.data_type {
        *data_type = spelling::canonical(&trueup_schema::DataType::builtin(data_type.as_str())).to_string();
    }
    let (lowest, highest) = match options.data_type.as_deref() {
        Some("smallint") => (i64::from(i16::MIN), i64::from(i16::MAX)),
        Some("integer") => (i64::from(i32::MIN), i64::from(i32::MAX)),
        Some(_) | None => (i64::MIN, i64::MAX),
    };
    let up = options.increment.is_none_or(|by| by > 0);
    let (min, max) = if up { (1, highest) } else { (lowest, -1) };
    let start = if up { options.min.unwrap_or(min) } else { options.max.unwrap_or(max) };
    let drop_default = |value: &mut Option<i64>, default: i64| {
        if *value == Some(default) {
            *value = None;
        }
    };
    drop_default(&mut options.start, start);
    drop_default(&mut options.min, min);
    drop_default(&mut options.max, max);
    drop_default(&mut options.increment, 1);
    drop_default(&mut options.cache, 1);
    if options.data_type.as_deref() == Some("bigint") {
        options.data_type = None;
    }
}

/// A list of privileges that says what a new object has is none.
fn grants(schema: &mut Schema) {
    let tidy = |common: &mut Common, public: Option<&str>| {
        let Some(grants) = &mut common.grants else { return };
        for grant in grants.iter_mut() {
            grant.privilege = grant.privilege.to_uppercase();
            if grant.grantee.eq_ignore_ascii_case("public") {
                "PUBLIC".clone_into(&mut grant.grantee);
            }
        }
        let is_default = match (public, grants.as_slice()) {
            (None, []) => true,
            (Some(privilege), [only]) => {
                only.grantee == "PUBLIC" && only.privilege == privilege && only.column.is_none() && !only.grantable
            }
            (None | Some(_), _) => false,
        };
        if is_default {
            common.grants = None;
        }
    };
    schema.namespaces.values_mut().for_each(|each| tidy(&mut each.common, None));
    schema.tables.values_mut().for_each(|each| tidy(&mut each.common, None));
    schema.views.values_mut().for_each(|each| tidy(&mut each.common, None));
    schema.sequences.values_mut().for_each(|each| tidy(&mut each.common, None));
    schema.types.values_mut().for_each(|each| tidy(&mut each.common, Some("USAGE")));
    schema.routines.values_mut().for_each(|each| tidy(&mut each.common, Some("EXECUTE")));
}
