//! The question about everything that is not modelled. Nothing is silent: what is not modelled is listed with a text to compare.

use super::raw::Flags;

/// A kind that is not modelled: how it is read, with its catalog as `x`.
struct Kind {
    /// What says whether there is any.
    flag: &'static str,
    /// The kind in words.
    kind: &'static str,
    /// The class of the catalog, by which members of extensions are told.
    class: &'static str,
    /// The table that it is a property of, by number.
    table: &'static str,
    namespace: &'static str,
    name: &'static str,
    definition: &'static str,
    from: &'static str,
}

/// One part per kind that the catalog holds any of, in the shape of the other objects with a text. The texts are the kind in words,
/// the definition, and the class of the catalog.
pub(super) fn parts(flags: &Flags) -> Vec<String> {
    let there = KINDS.iter().filter(|kind| flags.has(kind.flag));
    let mut parts: Vec<String> = there
        .map(|Kind { flag: _, kind, class, table, namespace, name, definition, from }| {
            format!(
                "SELECT 'unmanaged', x.oid, {namespace}, {table}, ({name})::text, '{kind}', ({definition})::text, '{class}'::regclass::oid::text, \
                   NULL, NULL::text[], false FROM {from}"
            )
        })
        .collect();
    for (flag, part) in [("security-label", SECURITY_LABELS), ("extension-dependence", EXTENSION_DEPENDENCES)] {
        if flags.has(flag) {
            parts.push(part.to_owned());
        }
    }
    parts
}

/// Every kind, with the properties of tables that have no place in the model.
pub(crate) fn kinds() -> Vec<&'static str> {
    let others = [
        "clustered key",
        "dependence on an extension",
        "index statistics target",
        "parameters of an inherited key",
        "security label",
        "tablespace of a key",
        "typed table",
    ];
    let mut all: Vec<_> = KINDS.iter().map(|each| each.kind).chain(others).collect();
    all.sort_unstable();
    all
}

/// Labels hang on objects of every kind.
const SECURITY_LABELS: &str = "SELECT 'unmanaged', x.objoid, 0::oid, 0::oid, i.type || ' ' || i.identity, 'security label', x.provider || ' ' || x.label, \
       x.classoid::text, NULL, NULL::text[], false FROM pg_seclabel AS x \
     CROSS JOIN LATERAL pg_identify_object(x.classoid, x.objoid, x.objsubid) AS i WHERE x.objoid >= 16384";

/// `DEPENDS ON EXTENSION` of routines, triggers, indexes and materialized views: they go with an extension that they are no member of.
const EXTENSION_DEPENDENCES: &str = "SELECT 'unmanaged', d.objid, x.namespace, 0::oid, replace(i.identity, quote_ident(n.nspname) || '.', ''), \
       'dependence on an extension', e.extname::text, d.classid::text, NULL, NULL::text[], false \
     FROM pg_depend AS d JOIN pg_extension AS e ON e.oid = d.refobjid \
     CROSS JOIN LATERAL pg_identify_object(d.classid, d.objid, 0) AS i \
     CROSS JOIN LATERAL (SELECT coalesce((SELECT p.pronamespace FROM pg_proc AS p WHERE d.classid = 'pg_proc'::regclass AND p.oid = d.objid), \
       (SELECT c.relnamespace FROM pg_class AS c WHERE d.classid = 'pg_class'::regclass AND c.oid = d.objid \
         OR d.classid = 'pg_trigger'::regclass AND c.oid = (SELECT t.tgrelid FROM pg_trigger AS t WHERE t.oid = d.objid))) AS namespace) AS x \
     JOIN pg_namespace AS n ON n.oid = x.namespace \
     WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'x' AND x.namespace = ANY ($1::int8[]::oid[])";

const KINDS: &[Kind] = &[
    Kind {
        flag: "subscription",
        kind: "subscription",
        class: "pg_subscription",
        table: "0::oid",
        namespace: "0::oid",
        name: "x.subname",
        definition: "array_to_string(x.subpublications, ', ')",
        from: "pg_subscription AS x WHERE x.subdbid = (SELECT d.oid FROM pg_database AS d WHERE d.datname = current_database())",
    },
    Kind {
        flag: "operator",
        // Another operator named it as its commutator or negator, and nobody has made it yet.
        kind: "operator without a function",
        class: "pg_operator",
        table: "0::oid",
        namespace: "x.oprnamespace",
        name: "x.oprname || ' (' || format_type(x.oprleft, NULL) || ', ' || format_type(x.oprright, NULL) || ')'",
        definition: "''",
        from: "pg_operator AS x WHERE x.oprnamespace = ANY ($1::int8[]::oid[]) AND x.oprcode = 0",
    },
    Kind {
        flag: "collation",
        kind: "collation for another encoding",
        class: "pg_collation",
        table: "0::oid",
        namespace: "x.collnamespace",
        name: "x.collname || ' (' || pg_encoding_to_char(x.collencoding) || ')'",
        definition: "''",
        from: "pg_collation AS x WHERE x.collnamespace = ANY ($1::int8[]::oid[]) \
               AND x.collencoding NOT IN (-1, pg_char_to_encoding(getdatabaseencoding()))",
    },
    Kind {
        flag: "fdw",
        // Options of a mapping hold passwords: they are not read.
        kind: "user mapping with options",
        class: "pg_user_mapping",
        table: "0::oid",
        namespace: "0::oid",
        name: "concat_ws(' ', 'FOR', x.usename, 'SERVER', x.srvname)",
        definition: "''",
        from: "(SELECT m.umid AS oid, m.usename, m.srvname FROM pg_user_mappings AS m WHERE m.umoptions IS NOT NULL \
               OR NOT (SELECT r.rolsuper FROM pg_roles AS r WHERE r.rolname = current_user)) AS x",
    },
    Kind {
        flag: "fdw",
        // Values of such options are not read.
        kind: "secret option of a foreign server",
        class: "pg_foreign_server",
        table: "0::oid",
        namespace: "0::oid",
        name: "x.srvname || '.' || x.option_name",
        definition: "''",
        from: "(SELECT s.oid, s.srvname, o.option_name FROM pg_foreign_server AS s, pg_options_to_table(s.srvoptions) AS o \
               WHERE o.option_name ~* '(pass|secret|token|key|credential)') AS x",
    },
    Kind {
        flag: "fdw",
        kind: "secret option of a foreign data wrapper",
        class: "pg_foreign_data_wrapper",
        table: "0::oid",
        namespace: "0::oid",
        name: "x.fdwname || '.' || x.option_name",
        definition: "''",
        from: "(SELECT w.oid, w.fdwname, o.option_name FROM pg_foreign_data_wrapper AS w, pg_options_to_table(w.fdwoptions) AS o \
               WHERE o.option_name ~* '(pass|secret|token|key|credential)') AS x",
    },
    Kind {
        flag: "trigger-states",
        // A partition's own; where nobody set one it is as on the parent.
        kind: "state of an inherited trigger",
        class: "pg_trigger",
        table: "x.tgrelid",
        namespace: "x.relnamespace",
        name: "x.relname || '.' || x.tgname",
        definition: "x.tgenabled",
        from: "(SELECT t.oid, t.tgrelid, c.relnamespace, c.relname, t.tgname, t.tgenabled FROM pg_trigger AS t \
               JOIN pg_trigger AS p ON p.oid = t.tgparentid JOIN pg_class AS c ON c.oid = t.tgrelid \
               WHERE t.tgconstraint = 0 AND t.tgenabled <> p.tgenabled AND c.relnamespace = ANY ($1::int8[]::oid[])) AS x",
    },
    Kind {
        flag: "trigger-states",
        // What ALTER TABLE … DISABLE TRIGGER ALL leaves behind: the constraint is there and looks after nothing.
        kind: "disabled check of a constraint",
        class: "pg_constraint",
        table: "x.tgrelid",
        namespace: "x.relnamespace",
        name: "x.relname || '.' || x.conname",
        definition: "x.states",
        from: "(SELECT n.oid, t.tgrelid, c.relnamespace, c.relname, n.conname, string_agg(DISTINCT t.tgenabled::text, ', ') AS states \
               FROM pg_trigger AS t JOIN pg_constraint AS n ON n.oid = t.tgconstraint JOIN pg_class AS c ON c.oid = t.tgrelid \
               WHERE t.tgisinternal AND t.tgenabled <> 'O' AND c.relnamespace = ANY ($1::int8[]::oid[]) \
               GROUP BY n.oid, t.tgrelid, c.relnamespace, c.relname, n.conname) AS x",
    },
    Kind {
        flag: "constraint-comments",
        kind: "comment on a constraint",
        class: "pg_constraint",
        table: "x.conrelid",
        namespace: "x.connamespace",
        name: "x.holder || '.' || x.conname",
        definition: "x.description",
        from: "(SELECT n.oid, n.conrelid, n.connamespace, coalesce(c.relname, y.typname) AS holder, n.conname, d.description \
               FROM pg_constraint AS n JOIN pg_description AS d ON d.classoid = 'pg_constraint'::regclass AND d.objoid = n.oid \
               LEFT JOIN pg_class AS c ON c.oid = n.conrelid LEFT JOIN pg_type AS y ON y.oid = n.contypid \
               WHERE (n.contype = 'n' OR n.conparentid <> 0 OR n.coninhcount > 0 AND NOT n.conislocal) \
                 AND n.connamespace = ANY ($1::int8[]::oid[])) AS x",
    },
];
