//! Properties of documents and fingerprints over generated schemas.

#![expect(clippy::unwrap_used, reason = "generated values are sound by construction")]

use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{Index as Pick, select};
use trueup_schema::{
    Column, Common, Constraint, ConstraintKind, DataType, Deferrable, Dependency, DialectId, FkAction, ForeignKey,
    Form, Generated, Grant, Ident, Identity, Index, IndexKey, IndexPart, Key, NamedType, Namespace, ObjectRef, Opaque,
    OpaqueId, OpaquePart, Parameters, PartId, Policy, QualName, Routine, RoutineId, RoutineKind, Schema, Sequence,
    SequenceOptions, SqlExpr, Table, TableKind, Trigger, UserType, UserTypeKind, View, ViewColumn,
};
use trueup_snapshot::{Document, DocumentFormat, Normalise, Snapshot};

#[derive(Debug)]
struct AsIs;

impl Normalise for AsIs {
    fn normalise(&self, _: &mut Schema) {}
    fn is_generated(&self, _: &Table, _: &Constraint) -> bool {
        false
    }
    fn hashes_column_order(&self) -> bool {
        false
    }
}

/// Texts that formats trip over.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "[a-z_]{1,8}",
        1 => "(?s).{0,12}",
        1 => select(vec!["", "'''", "\"\"\"", "\\", "a\r\nb\n", "\n", "\u{0}", "\u{7f}\u{1b}", "true", "1.5", "#x", "größe 😀", "[t]"])
            .prop_map(str::to_owned),
    ]
}

fn ident() -> impl Strategy<Value = Ident> {
    prop_oneof![3 => "[a-z]{1,6}", 1 => "[^\u{0}]{1,6}", 1 => select(vec!["a.b", "\"", " ", "x\ny"]).prop_map(str::to_owned)]
        .prop_map(|name| Ident::new(name).unwrap())
}

fn qual_name() -> impl Strategy<Value = QualName> {
    (option::of(ident()), ident()).prop_map(|(namespace, name)| QualName::new(namespace, name))
}

fn part_id() -> impl Strategy<Value = PartId> {
    (qual_name(), ident()).prop_map(|(table, name)| PartId { table, name })
}

fn sql() -> impl Strategy<Value = SqlExpr> {
    text().prop_map(SqlExpr)
}

fn data_type() -> impl Strategy<Value = DataType> {
    let named = (qual_name(), text(), 0..3_u8)
        .prop_map(|(name, modifiers, dimensions)| DataType::Named(NamedType { name, modifiers, dimensions }));
    prop_oneof![text().prop_map(DataType::Builtin), named]
}

fn options() -> impl Strategy<Value = Parameters> {
    btree_map(text(), text(), 0..3).prop_map(Parameters::from)
}

fn object_ref() -> impl Strategy<Value = ObjectRef> {
    prop_oneof![
        ident().prop_map(ObjectRef::Namespace),
        qual_name().prop_map(ObjectRef::Table),
        part_id().prop_map(ObjectRef::Column),
        (qual_name(), text()).prop_map(|(name, arguments)| ObjectRef::Routine(RoutineId { name, arguments })),
        opaque_id().prop_map(ObjectRef::Opaque),
    ]
}

fn dependencies() -> impl Strategy<Value = Vec<Dependency>> {
    vec(
        (object_ref(), any::<bool>())
            .prop_map(|(on, hard)| if hard { Dependency::hard(on) } else { Dependency::soft(on) }),
        0..2,
    )
}

fn common() -> impl Strategy<Value = Common> {
    let grant = (text(), text(), option::of(ident()), any::<bool>())
        .prop_map(|(grantee, privilege, column, grantable)| Grant { grantee, privilege, column, grantable });
    (option::of(text()), option::of(ident()), option::of(vec(grant, 0..3)), dependencies(), option::of(qual_name()))
        .prop_map(|(comment, owner, grants, depends_on, renamed_from)| Common {
            comment,
            owner,
            grants,
            depends_on,
            renamed_from,
        })
}

fn sequence_options() -> impl Strategy<Value = SequenceOptions> {
    (option::of(text()), option::of(any::<i64>()), option::of(any::<i64>()), any::<bool>()).prop_map(
        |(data_type, start, increment, cycle)| SequenceOptions {
            data_type,
            start,
            increment,
            cycle,
            ..Default::default()
        },
    )
}

fn column() -> impl Strategy<Value = Column> {
    #[derive(Debug, Clone)]
    enum Source {
        None,
        Default(SqlExpr),
        Generated(Generated),
        Identity(Identity),
    }
    let source = prop_oneof![
        Just(Source::None),
        sql().prop_map(Source::Default),
        (sql(), any::<bool>()).prop_map(|(expr, stored)| Source::Generated(Generated { expr, stored })),
        (any::<bool>(), sequence_options(), option::of(qual_name()))
            .prop_map(|(always, options, sequence)| Source::Identity(Identity { always, options, sequence })),
    ];
    let hints = (option::of(ident()), option::of(sql()), option::of(sql()));
    (data_type(), any::<bool>(), source, options(), option::of(text()), dependencies(), hints).prop_map(
        |(data_type, not_null, source, attributes, comment, depends_on, (renamed_from, using, backfill))| {
            let mut column = Column::new(Ident::new("x").unwrap(), data_type);
            match source {
                Source::None => {}
                Source::Default(sql) => column.default = Some(sql),
                Source::Generated(rule) => column.generated = Some(rule),
                Source::Identity(identity) => column.identity = Some(Box::new(identity)),
            }
            Column { not_null, attributes, comment, depends_on, renamed_from, using, backfill, ..column }
        },
    )
}

/// A part over one of a table's columns, which is filled in later.
fn part() -> impl Strategy<Value = (Pick, IndexPart)> {
    let key = prop_oneof![Just(None), sql().prop_map(Some)];
    (any::<Pick>(), key, any::<bool>(), option::of(any::<bool>()), option::of(any::<u32>())).prop_map(
        |(pick, key, descending, nulls_first, prefix)| {
            let key = key.map_or_else(|| IndexKey::Column(Ident::new("x").unwrap()), IndexKey::Expr);
            (pick, IndexPart { key, descending, nulls_first, opclass: None, collation: None, prefix })
        },
    )
}

fn settle(parts: Vec<(Pick, IndexPart)>, columns: &[Column]) -> Vec<IndexPart> {
    let settle = |(pick, part): (Pick, IndexPart)| match part.key {
        IndexKey::Column(_) => IndexPart { key: IndexKey::Column(pick.get(columns).name.clone()), ..part },
        IndexKey::Expr(_) => part,
    };
    parts.into_iter().map(settle).collect()
}

#[derive(Debug, Clone)]
enum Rule {
    Unique(Vec<(Pick, IndexPart)>, bool),
    Check(SqlExpr, bool),
    Foreign(Pick, QualName, Ident, FkAction),
    Exclude(SqlExpr),
}

fn rule() -> impl Strategy<Value = Rule> {
    prop_oneof![
        (vec(part(), 1..3), any::<bool>()).prop_map(|(parts, nulls)| Rule::Unique(parts, nulls)),
        (sql(), any::<bool>()).prop_map(|(expr, no_inherit)| Rule::Check(expr, no_inherit)),
        (any::<Pick>(), qual_name(), ident(), select(vec![FkAction::NoAction, FkAction::SetNull]))
            .prop_map(|(column, table, referenced, action)| Rule::Foreign(column, table, referenced, action)),
        sql().prop_map(Rule::Exclude),
    ]
}

fn constraint(name: Option<Ident>, rule: Rule, deferred: bool, columns: &[Column]) -> Constraint {
    let kind = match rule {
        Rule::Unique(parts, nulls_not_distinct) => ConstraintKind::Unique(Key {
            columns: settle(parts, columns),
            include: Vec::new(),
            nulls_not_distinct,
            without_overlaps: false,
        }),
        Rule::Check(expr, no_inherit) => ConstraintKind::Check { expr, no_inherit, column: None },
        Rule::Foreign(column, references, referenced, on_delete) => ConstraintKind::ForeignKey(ForeignKey {
            columns: vec![column.get(columns).name.clone()],
            references,
            referenced_columns: vec![referenced],
            on_delete,
            on_delete_columns: Vec::new(),
            on_update: FkAction::NoAction,
            match_type: None,
            period: false,
        }),
        Rule::Exclude(definition) => ConstraintKind::Exclude { definition },
    };
    let deferrable = if deferred { Deferrable::InitiallyDeferred } else { Deferrable::No };
    Constraint { deferrable, validated: !deferred, ..Constraint::new(name, kind) }
}

fn table() -> impl Strategy<Value = Table> {
    let kind = prop_oneof![
        4 => Just(TableKind::Ordinary),
        1 => sql().prop_map(|using| TableKind::Virtual { using }),
        1 => (ident(), options()).prop_map(|(server, options)| TableKind::Foreign { server, options }),
    ];
    let columns = btree_map(ident(), column(), 1..5);
    let rules = btree_map(ident(), (rule(), any::<bool>(), any::<bool>()), 0..4);
    let indexes = btree_map(ident(), (vec(part(), 1..3), option::of(sql()), options(), option::of(text())), 0..3);
    (qual_name(), kind, columns, rules, indexes, common(), options(), option::of(text())).prop_map(
        |(name, kind, columns, rules, indexes, common, parameters, source)| {
            let mut table = Table::new(name);
            table.columns = columns.into_iter().map(|(name, column)| Column { name, ..column }).collect();
            for (name, (rule, deferred, named)) in rules {
                let name = named.then_some(name);
                table.constraints.push(constraint(name, rule, deferred, &table.columns));
            }
            for (name, (parts, predicate, parameters, method)) in indexes {
                if table.constraint(&name).is_none() {
                    let index = Index::new(name, settle(parts, &table.columns));
                    table.indexes.push(Index { predicate, parameters, method, ..index });
                }
            }
            table.options.parameters = parameters;
            Table { kind, common, source, ..table }
        },
    )
}

fn user_type() -> impl Strategy<Value = UserType> {
    let labels = prop::collection::btree_set(text(), 0..4).prop_map(|set| set.into_iter().collect());
    let kind = prop_oneof![
        labels.prop_map(|labels| UserTypeKind::Enum { labels }),
        (data_type(), any::<bool>(), option::of(sql())).prop_map(|(base, not_null, default)| UserTypeKind::Domain(
            trueup_schema::Domain { base, not_null, default, collation: None, checks: Vec::new() }
        )),
        data_type().prop_map(|subtype| UserTypeKind::Range(trueup_schema::RangeType {
            subtype,
            opclass: None,
            collation: None,
            canonical: None,
            subtype_diff: None,
            multirange: None,
        })),
    ];
    (qual_name(), kind, common()).prop_map(|(name, kind, common)| UserType { name, kind, common })
}

fn view() -> impl Strategy<Value = View> {
    let columns = btree_map(ident(), (text(), option::of(sql())), 0..3);
    (qual_name(), sql(), columns, options(), any::<bool>(), common()).prop_map(
        |(name, query, columns, options, materialized, common)| {
            let columns = columns
                .into_iter()
                .map(|(name, (data_type, default))| ViewColumn { data_type, default, ..ViewColumn::new(name) })
                .collect();
            View { columns, options, materialized, populated: !materialized, common, ..View::new(name, query) }
        },
    )
}

fn opaque_id() -> impl Strategy<Value = OpaqueId> {
    (text(), option::of(ident()), option::of(qual_name()), text()).prop_map(|(kind, namespace, table, name)| OpaqueId {
        kind,
        namespace,
        table,
        name,
    })
}

fn add<V: trueup_schema::Keyed>(schema: &mut Schema, values: Vec<V>) {
    for value in values {
        schema.insert(value);
    }
}

fn schema() -> impl Strategy<Value = Schema> {
    let namespace =
        (ident(), options(), common()).prop_map(|(name, options, common)| Namespace { name, options, common });
    let sequence = (qual_name(), sequence_options(), common()).prop_map(|(name, options, common)| Sequence {
        name,
        options,
        unlogged: false,
        owned_by: None,
        common,
    });
    let routine = (qual_name(), text(), sql(), common()).prop_map(|(name, arguments, definition, common)| Routine {
        id: RoutineId { name, arguments },
        kind: RoutineKind::Procedure,
        definition,
        signature: String::new(),
        tracked: true,
        settings: Default::default(),
        common,
    });
    let trigger = (part_id(), sql(), text(), dependencies()).prop_map(|(id, definition, enabled, depends_on)| {
        Trigger { id, definition, enabled, settings: Default::default(), comment: None, depends_on, source: None }
    });
    let policy = (part_id(), vec(text(), 0..3), option::of(sql())).prop_map(|(id, roles, using)| Policy {
        id,
        restrictive: true,
        command: "ALL".to_owned(),
        roles,
        using,
        check: None,
        comment: None,
        depends_on: Vec::new(),
    });
    let part = (sql(), sql()).prop_map(|(set, unset)| OpaquePart { set, unset });
    let object = (opaque_id(), vec(sql(), 0..3), sql(), vec(part, 0..2), common()).prop_map(
        |(id, create, drop, parts, common)| Opaque {
            id,
            create,
            drop,
            comment_target: None,
            parts,
            roles: Vec::new(),
            common,
        },
    );
    let some = 0..3_usize;
    (
        (any::<bool>(), vec(namespace, some.clone()), vec(user_type(), some.clone()), vec(sequence, some.clone())),
        (vec(table(), 0..4), vec(view(), some.clone()), vec(routine, some.clone()), vec(trigger, some.clone())),
        (vec(policy, some.clone()), vec(object, some)),
    )
        .prop_map(
            |((canonical, namespaces, types, sequences), (tables, views, routines, triggers), (policies, objects))| {
                let mut schema = Schema::new(DialectId::Postgres);
                if canonical {
                    schema.form = Form::Canonical { dialect: DialectId::Postgres, major: 17 };
                }
                add(&mut schema, namespaces);
                add(&mut schema, types);
                add(&mut schema, sequences);
                add(&mut schema, tables);
                add(&mut schema, views);
                add(&mut schema, routines);
                add(&mut schema, triggers);
                add(&mut schema, policies);
                add(&mut schema, objects);
                schema
            },
        )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn documents_say_everything(schema in schema()) {
        for format in [DocumentFormat::Json, DocumentFormat::Toml] {
            let text = Document::write(&schema, format).unwrap();
            match Document::read(&text, format) {
                Ok(read) => {
                    prop_assert_eq!(&read, &schema);
                    prop_assert_eq!(Document::write(&read, format).unwrap(), text);
                }
                Err(error) => prop_assert!(false, "{}\n{}", error, text),
            }
        }
    }

    #[test]
    fn order_of_declaration_means_nothing(schema in schema()) {
        let before = Snapshot::of(&schema, &AsIs).unwrap();
        let mut turned = schema;
        for table in turned.tables.values_mut() {
            table.columns.reverse();
            table.constraints.reverse();
            table.indexes.reverse();
            table.common.grants.iter_mut().for_each(|grants| grants.reverse());
        }
        turned.policies.values_mut().for_each(|policy| policy.roles.reverse());
        prop_assert_eq!(Snapshot::of(&turned, &AsIs).unwrap().root(), before.root());
        let again = Snapshot::of(before.schema(), &AsIs).unwrap();
        prop_assert_eq!(again.schema(), before.schema());
        prop_assert_eq!(again.root(), before.root());
    }

    #[test]
    fn no_text_makes_reading_panic(text in "(?s).{0,200}", cut in any::<prop::sample::Index>(), schema in schema()) {
        for format in [DocumentFormat::Json, DocumentFormat::Toml] {
            let whole = Document::write(&schema, format).unwrap();
            let mut at = cut.index(whole.len());
            while !whole.is_char_boundary(at) {
                at -= 1;
            }
            let mangled = format!("{}{text}{}", &whole[..at], &whole[at..]);
            // Whatever comes back, it came back; half a JSON text is never one.
            let _outcome = Document::read(&mangled, format);
            let _outcome = Document::read(&text, format);
            let half = Document::read(&whole[..at], format);
            prop_assert!(format == DocumentFormat::Toml || half.is_err() || whole[at..].trim().is_empty());
        }
    }
}
