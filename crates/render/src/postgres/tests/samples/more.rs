//! What comes on top of tables, and what goes.

use super::*;

fn rich_index(n: Names) -> Index {
    let mut index = Index::new(
        n.ident("users_rich"),
        vec![
            IndexPart {
                collation: Some(QualName::parse("pg_catalog.C").unwrap()),
                opclass: Some("text_pattern_ops".to_owned()),
                descending: true,
                nulls_first: Some(false),
                ..IndexPart::column(n.ident("note"))
            },
            IndexPart {
                key: IndexKey::Expr(expr(format!("lower({})", n.quoted("note")))),
                ..IndexPart::column(n.ident("x"))
            },
        ],
    );
    index.unique = true;
    index.include = vec![n.ident("parent")];
    index.predicate = Some(expr(format!("{} IS NOT NULL", n.quoted("note"))));
    index.parameters = options(&[("fillfactor", "60")]);
    index.comment = Some(n.text("rich"));
    index
}

pub(super) fn indexes(s: &mut Samples) {
    let n = s.n;
    let of = |index| Object::Index(TableIndex { table: n.name("users"), index });
    s.add("create index", create(of(rich_index(n))));
    let mut after = rich_index(n);
    after.parameters = options(&[("deduplicate_items", "off")]);
    after.tablespace = None;
    let alter = |before, after| Change::AlterIndex { table: n.name("users"), before, after };
    s.add("alter index", alter(rich_index(n), after));
    s.add("drop index", drop(of(rich_index(n))));
    let mut hash = Index::new(n.ident("users_hash"), vec![IndexPart::column(n.ident("note"))]);
    hash.method = Some("hash".to_owned());
    s.add("create hash index", create(of(hash)));
    let plain = Index::new(n.ident("users_cluster"), vec![IndexPart::column(n.ident("id"))]);
    let mut clustered = plain.clone();
    clustered.clustered = true;
    s.add("create clustered index", create(of(clustered.clone())));
    s.add("uncluster index", alter(clustered.clone(), plain.clone()));
    s.add("cluster index", alter(plain.clone(), clustered));
    let mut distinct = Index::new(n.ident("users_distinct"), vec![IndexPart::column(n.ident("note"))]);
    (distinct.unique, distinct.nulls_not_distinct) = (true, true);
    s.since(15, "create index nulls not distinct", create(of(distinct)));
}

fn view(n: Names, query: &str) -> View {
    let mut view = View::new(n.name("names"), expr(query));
    view.columns = vec![ViewColumn {
        default: Some(expr("'x'::text")),
        comment: Some(n.text("shown")),
        ..ViewColumn::new(n.ident("name"))
    }];
    view.options = options(&[("check_option", "local"), ("security_barrier", "true")]);
    view.common = comment(n, "a view");
    view
}

pub(super) fn views(s: &mut Samples) {
    let n = s.n;
    let query = format!("SELECT {} FROM {};", n.quoted("note"), n.full("users"));
    s.add("create view", create(Object::View(view(n, &query))));
    let filtered = format!("SELECT {} FROM {} WHERE true", n.quoted("note"), n.full("users"));
    s.add("replace view", Change::ReplaceView { before: view(n, &query), after: view(n, &filtered) });
    let mut after = view(n, &filtered);
    after.options = options(&[("security_barrier", "false")]);
    for column in &mut after.columns {
        column.default = None;
    }
    s.add("alter view", Change::AlterView { before: view(n, &filtered), after });
    let mut stored = View::new(n.name("stored"), expr(format!("SELECT {} FROM {}", n.quoted("id"), n.full("users"))));
    stored.materialized = true;
    stored.populated = false;
    stored.options = options(&[("fillfactor", "90")]);
    stored.indexes = vec![Index::new(n.ident("stored_id"), vec![IndexPart::column(n.ident("id"))])];
    stored.common = comment(n, "a materialized view");
    s.add("create materialized view", create(Object::View(stored.clone())));
    let mut after = stored.clone();
    after.options = trueup_schema::Parameters::new();
    s.add("alter materialized view", Change::AlterView { before: stored, after });
}

fn trigger(n: Names, enabled: &str) -> Trigger {
    let text = format!(
        "CREATE TRIGGER {} BEFORE INSERT ON {} FOR EACH ROW EXECUTE FUNCTION {}()",
        n.quoted("users_touch"),
        n.full("users"),
        n.full("touch")
    );
    Trigger {
        id: n.part("users", "users_touch"),
        definition: expr(text),
        enabled: enabled.to_owned(),
        settings: trueup_schema::Parameters::new(),
        comment: Some(n.text("a trigger")),
        depends_on: Vec::new(),
        source: None,
    }
}

fn policy(n: Names, roles: &[&str], using: &str) -> Policy {
    Policy {
        id: n.part("users", "own"),
        restrictive: true,
        command: "UPDATE".to_owned(),
        roles: roles.iter().map(|role| (*role).to_owned()).collect(),
        using: Some(expr(using)),
        check: Some(expr("true")),
        comment: Some(n.text("a policy")),
        depends_on: Vec::new(),
    }
}

pub(super) fn triggers_and_policies(s: &mut Samples) {
    let n = s.n;
    s.add("create trigger", create(Object::Trigger(trigger(n, "always"))));
    for (label, enabled) in
        [("disable trigger", "disabled"), ("replica trigger", "replica"), ("enable trigger", "origin")]
    {
        s.add(label, Change::SetTriggerEnabled { before: trigger(n, "always"), after: trigger(n, enabled) });
    }
    s.add("create policy", create(Object::Policy(policy(n, &["PUBLIC"], "false"))));
    let (before, after) = (policy(n, &["PUBLIC"], "false"), policy(n, &["pg_monitor", "pg_signal_backend"], "true"));
    s.add("alter policy", Change::AlterPolicy { before, after });
}

pub(super) fn opaque(s: &mut Samples) {
    let n = s.n;
    let object = |kind: &str, table: Option<QualName>, name: &str, create: String, target: &str| {
        let named = format!("{target} {}", n.quoted(name));
        let on = table.as_ref().map(|table| format!(" ON {}", table.quoted(DialectId::Postgres)));
        let target = format!("{named}{}", on.unwrap_or_default());
        Opaque {
            id: OpaqueId { kind: kind.to_owned(), namespace: None, table, name: n.text(name) },
            create: vec![expr(create)],
            drop: expr(format!("DROP {target};")),
            comment_target: Some(expr(target)),
            parts: Vec::new(),
            roles: Vec::new(),
            common: comment(n, "kept as text"),
        }
    };
    let text = format!("CREATE RULE {} AS ON DELETE TO {} DO INSTEAD NOTHING;", n.quoted("keep"), n.full("users"));
    s.add("create rule", create(Object::Opaque(object("rule", Some(n.name("users")), "keep", text, "RULE"))));
    let text = format!("CREATE FOREIGN DATA WRAPPER {}", n.quoted("wrap"));
    let wrapper = object("foreign data wrapper", None, "wrap", text, "FOREIGN DATA WRAPPER");
    s.add("create wrapper", create(Object::Opaque(wrapper)));
    let text = format!("CREATE SERVER {} FOREIGN DATA WRAPPER {}", n.quoted("far"), n.quoted("wrap"));
    let server = object("server", None, "far", text, "SERVER");
    s.add("create server", create(Object::Opaque(server.clone())));
    let option = |value: &str| OpaquePart {
        set: expr(format!("ALTER SERVER {} OPTIONS (ADD host '{value}')", n.quoted("far"))),
        unset: expr(format!("ALTER SERVER {} OPTIONS (DROP host)", n.quoted("far"))),
    };
    let with_parts = |parts: Vec<OpaquePart>| Opaque { parts, ..server.clone() };
    s.add("alter server", Change::AlterOpaque { before: server.clone(), after: with_parts(vec![option("a")]) });
    let (before, after) = (with_parts(vec![option("a")]), with_parts(vec![option("b")]));
    s.add("alter server option", Change::AlterOpaque { before, after });
    let foreign = |pairs: &[(&str, &str)]| {
        let mut table = Table::new(n.name("abroad"));
        table.columns = vec![with(n.column("a", "integer"), |it| it.not_null = true)];
        table.kind = TableKind::Foreign { server: n.ident("far"), options: options(pairs) };
        table.common = comment(n, "a foreign table");
        table
    };
    let first = foreign(&[("a", "it's"), ("b", "1")]);
    s.add("create foreign table", create(Object::Table(first.clone())));
    let second = foreign(&[("a", "2"), ("c", "3")]);
    s.add("alter foreign table", Change::AlterTable { before: first, after: second });
}

fn grant(grantee: &str, privilege: &str) -> Grant {
    Grant { grantee: grantee.to_owned(), privilege: privilege.to_owned(), column: None, grantable: false }
}

pub(super) fn rights(s: &mut Samples) {
    let n = s.n;
    let on = || ObjectRef::Table(n.name("users"));
    let mut reading = grant("pg_monitor", "SELECT");
    reading.grantable = true;
    let mut column = grant("pg_signal_backend", "UPDATE");
    column.column = Some(n.ident("note"));
    let all = ["SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER"];
    let first: Vec<Grant> = all
        .iter()
        .map(|privilege| grant("postgres", privilege))
        .chain([reading, column, grant("pg_signal_backend", "INSERT"), grant("PUBLIC", "SELECT")])
        .collect();
    let second = vec![grant("postgres", "SELECT"), grant("pg_monitor", "SELECT")];
    let owner = || Some(Ident::new("postgres").unwrap());
    let set = |before: Option<&[Grant]>, after: Option<&[Grant]>| Change::SetGrants {
        on: on(),
        flavor: Flavor::Plain,
        before: before.map(<[Grant]>::to_vec),
        after: after.map(<[Grant]>::to_vec),
        owner: owner(),
    };
    s.add("grant", set(None, Some(&first)));
    s.add("regrant", set(Some(&first), Some(&second)));
    s.add("revoke to default", set(Some(&second), None));
    let execute = |before: Option<Vec<Grant>>, after| Change::SetGrants {
        on: ObjectRef::Routine(RoutineId { name: n.name("twice"), arguments: "integer".to_owned() }),
        flavor: Flavor::Plain,
        before,
        after,
        owner: owner(),
    };
    s.add("revoke from public", execute(None, Some(vec![grant("postgres", "EXECUTE")])));
    s.add("grant to public", execute(Some(vec![grant("postgres", "EXECUTE")]), None));
    let usage = |on, flavor| Change::SetGrants {
        on,
        flavor,
        before: None,
        after: Some(vec![grant("postgres", "USAGE"), grant("postgres", "CREATE"), grant("pg_monitor", "USAGE")]),
        owner: owner(),
    };
    s.add("grant on namespace", usage(ObjectRef::Namespace(n.ident("app")), Flavor::Plain));
    let server = OpaqueId { kind: "server".to_owned(), namespace: None, table: None, name: n.text("far") };
    s.add(
        "grant on server",
        Change::SetGrants {
            on: ObjectRef::Opaque(server),
            flavor: Flavor::Plain,
            before: None,
            after: Some(vec![grant("postgres", "USAGE"), grant("pg_monitor", "USAGE")]),
            owner: owner(),
        },
    );
    s.add(
        "set owner",
        Change::SetOwner { on: on(), flavor: Flavor::Plain, before: owner(), after: Ident::new("pg_monitor").unwrap() },
    );
}

pub(super) fn comments(s: &mut Samples) {
    let n = s.n;
    let on = || ObjectRef::Table(n.name("users"));
    for (label, on, flavor) in comment_targets(n) {
        let after = Some(n.text("new words"));
        s.add(label, Change::SetComment { on, flavor, before: None, after });
    }
    s.add(
        "drop comment",
        Change::SetComment { on: on(), flavor: Flavor::Plain, before: Some("x".to_owned()), after: None },
    );
    s.add("adopt", Change::Adopt { object: on() });
}

fn comment_targets(n: Names) -> Vec<(&'static str, ObjectRef, Flavor)> {
    let twice = RoutineId { name: n.name("twice"), arguments: "integer".to_owned() };
    let rule =
        OpaqueId { kind: "rule".to_owned(), namespace: None, table: Some(n.name("users")), name: n.text("keep") };
    let domain = n.part("age", "age_range");
    vec![
        ("comment on namespace", ObjectRef::Namespace(n.ident("app")), Flavor::Plain),
        ("comment on type", ObjectRef::Type(n.name("mood")), Flavor::Plain),
        ("comment on domain", ObjectRef::Type(n.name("age")), Flavor::Domain),
        ("comment on domain constraint", ObjectRef::Constraint(domain), Flavor::Domain),
        ("comment on sequence", ObjectRef::Sequence(n.name("ticket")), Flavor::Plain),
        ("comment on table", ObjectRef::Table(n.name("users")), Flavor::Plain),
        ("comment on foreign table", ObjectRef::Table(n.name("abroad")), Flavor::Foreign),
        ("comment on view", ObjectRef::View(n.name("names")), Flavor::Plain),
        ("comment on materialized view", ObjectRef::View(n.name("stored")), Flavor::Materialized),
        ("comment on column", ObjectRef::Column(n.part("users", "note")), Flavor::Plain),
        ("comment on view column", ObjectRef::Column(n.part("names", "name")), Flavor::View),
        ("comment on attribute", ObjectRef::Column(n.part("address", "street")), Flavor::Composite),
        ("comment on constraint", ObjectRef::Constraint(n.part("users", "users_pkey")), Flavor::Plain),
        ("comment on index", ObjectRef::Index(n.part("users", "users_note")), Flavor::Plain),
        ("comment on routine", ObjectRef::Routine(twice), Flavor::Plain),
        ("comment on trigger", ObjectRef::Trigger(n.part("users", "users_touch")), Flavor::Plain),
        ("comment on policy", ObjectRef::Policy(n.part("users", "own")), Flavor::Plain),
        ("comment on rule", ObjectRef::Opaque(rule), Flavor::Plain),
    ]
}

pub(super) fn renames(s: &mut Samples) {
    let n = s.n;
    let part = |make: fn(PartId) -> ObjectRef, table: &str, name: &str| make(n.part(table, name));
    let rename = |from, to, flavor| Change::Rename { from, to, flavor };
    let pair = |make: fn(QualName) -> ObjectRef, from: &str, to: &str, flavor| {
        rename(make(n.name(from)), make(n.name(to)), flavor)
    };
    let parts = |make: fn(PartId) -> ObjectRef, table: &str, from: &str, to: &str, flavor| {
        rename(part(make, table, from), part(make, table, to), flavor)
    };
    s.add("rename column", parts(ObjectRef::Column, "users", "note", "notes", Flavor::Plain));
    s.add("rename view column", parts(ObjectRef::Column, "names", "name", "label", Flavor::View));
    s.add("rename materialized view column", parts(ObjectRef::Column, "stored", "id", "ident", Flavor::Materialized));
    s.add("rename foreign column", parts(ObjectRef::Column, "abroad", "a", "b", Flavor::Foreign));
    s.add("rename attribute", parts(ObjectRef::Column, "address", "street", "road", Flavor::Composite));
    s.add("rename constraint", parts(ObjectRef::Constraint, "users", "users_late", "users_later", Flavor::Plain));
    s.add("rename domain constraint", parts(ObjectRef::Constraint, "age", "age_range", "age_limit", Flavor::Domain));
    s.add("rename index", parts(ObjectRef::Index, "users", "users_note", "users_notes", Flavor::Plain));
    s.add("rename trigger", parts(ObjectRef::Trigger, "users", "users_touch", "users_stamp", Flavor::Plain));
    s.add("rename policy", parts(ObjectRef::Policy, "users", "own", "mine", Flavor::Plain));
    s.add("rename table", pair(ObjectRef::Table, "users", "people", Flavor::Plain));
    s.add("rename foreign table", pair(ObjectRef::Table, "abroad", "away", Flavor::Foreign));
    s.add("rename view", pair(ObjectRef::View, "names", "labels", Flavor::Plain));
    s.add("rename materialized view", pair(ObjectRef::View, "stored", "kept", Flavor::Materialized));
    s.add("rename sequence", pair(ObjectRef::Sequence, "ticket", "tickets", Flavor::Plain));
    s.add("rename type", pair(ObjectRef::Type, "mood", "moods", Flavor::Plain));
    s.add("rename domain", pair(ObjectRef::Type, "age", "ages", Flavor::Domain));
    let routine = |name: QualName| ObjectRef::Routine(RoutineId { name, arguments: "integer".to_owned() });
    let moved = QualName::new(Some(n.ident("new_app")), n.ident("double"));
    let fresh =
        Namespace { name: n.ident("new_app"), options: trueup_schema::Parameters::new(), common: Common::default() };
    s.add("create another namespace", create(Object::Namespace(fresh)));
    s.add("rename routine", rename(routine(n.name("twice")), routine(moved), Flavor::Plain));
    let rule = |table: &str, name: &str| {
        let table = Some(n.name(table));
        ObjectRef::Opaque(OpaqueId { kind: "rule".to_owned(), namespace: None, table, name: n.text(name) })
    };
    s.add("rename rule", rename(rule("people", "keep"), rule("people", "hold"), Flavor::Plain));
    let (from, to) = (ObjectRef::Namespace(n.ident("new_app")), ObjectRef::Namespace(n.ident("next_app")));
    s.add("rename namespace", rename(from, to, Flavor::Plain));
}

pub(super) fn drops(s: &mut Samples) {
    let n = s.n;
    let mut stored = View::new(n.name("kept"), expr(""));
    stored.materialized = true;
    s.add("drop materialized view", drop(Object::View(stored)));
    s.add("drop view", drop(Object::View(View::new(n.name("labels"), expr("")))));
    let mut stamp = trigger(n, "origin");
    stamp.id = n.part("people", "users_stamp");
    s.add("drop trigger", drop(Object::Trigger(stamp)));
    let mut mine = policy(n, &[], "true");
    mine.id = n.part("people", "mine");
    s.add("drop policy", drop(Object::Policy(mine)));
    let target = format!("RULE {} ON {}", n.quoted("hold"), n.full("people"));
    let rule = Opaque {
        id: OpaqueId { kind: "rule".to_owned(), namespace: None, table: Some(n.name("people")), name: n.text("hold") },
        create: Vec::new(),
        drop: expr(format!("DROP {target}")),
        comment_target: None,
        parts: Vec::new(),
        roles: Vec::new(),
        common: Common::default(),
    };
    s.add("drop rule", drop(Object::Opaque(rule)));
    let mut away = Table::new(n.name("away"));
    away.kind = TableKind::Foreign { server: n.ident("far"), options: trueup_schema::Parameters::new() };
    s.add("drop foreign table", drop(Object::Table(away)));
    s.add("drop people", drop(Object::Table(Table::new(n.name("people")))));
    let sequence = Sequence { name: n.name("tickets"), ..sequence(n, SequenceOptions::default()) };
    s.add("drop sequence", drop(Object::Sequence(sequence)));
    s.add("drop function", drop(Object::Routine(touch(n))));
    s.add("drop enum", drop(Object::Type(user_type(n, "moods", labels(n, &[])))));
    let domain = Domain {
        base: DataType::builtin("integer"),
        not_null: false,
        default: None,
        collation: None,
        checks: Vec::new(),
    };
    s.add("drop domain", drop(Object::Type(user_type(n, "ages", UserTypeKind::Domain(domain)))));
    let fresh =
        Namespace { name: n.ident("empty"), options: trueup_schema::Parameters::new(), common: Common::default() };
    s.add("create namespace to drop", create(Object::Namespace(fresh.clone())));
    s.add("drop namespace", drop(Object::Namespace(fresh)));
}
