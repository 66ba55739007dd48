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
        .map(|Kind { flag: _, kind, class, namespace, name, definition, from }| {
            format!(
                "SELECT 'unmanaged', x.oid, {namespace}, 0::oid, ({name})::text, '{kind}', ({definition})::text, '{class}'::regclass::oid::text, \
                   NULL, NULL::text[], false FROM {from}"
            )
        })
        .collect();
    if flags.has("security-label") {
        parts.push(SECURITY_LABELS.to_owned());
    }
    parts
}

/// Every kind, with the properties of tables that have no place in the model.
pub(crate) fn kinds() -> Vec<&'static str> {
    let others = ["clustered key", "index statistics target", "security label", "tablespace of a key", "typed table"];
    let mut all: Vec<_> = KINDS.iter().map(|each| each.kind).chain(others).collect();
    all.sort_unstable();
    all
}

/// Labels hang on objects of every kind.
const SECURITY_LABELS: &str = "SELECT 'unmanaged', x.objoid, 0::oid, 0::oid, i.type || ' ' || i.identity, 'security label', x.provider || ' ' || x.label, \
       x.classoid::text, NULL, NULL::text[], false FROM pg_seclabel AS x \
     CROSS JOIN LATERAL pg_identify_object(x.classoid, x.objoid, x.objsubid) AS i WHERE x.objoid >= 16384";

const KINDS: &[Kind] = &[
    Kind {
        flag: "subscription",
        kind: "subscription",
        class: "pg_subscription",
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
        namespace: "x.oprnamespace",
        name: "x.oprname || ' (' || format_type(x.oprleft, NULL) || ', ' || format_type(x.oprright, NULL) || ')'",
        definition: "''",
        from: "pg_operator AS x WHERE x.oprnamespace = ANY ($1::int8[]::oid[]) AND x.oprcode = 0",
    },
    Kind {
        flag: "collation",
        kind: "collation for another encoding",
        class: "pg_collation",
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
        namespace: "0::oid",
        name: "x.fdwname || '.' || x.option_name",
        definition: "''",
        from: "(SELECT w.oid, w.fdwname, o.option_name FROM pg_foreign_data_wrapper AS w, pg_options_to_table(w.fdwoptions) AS o \
               WHERE o.option_name ~* '(pass|secret|token|key|credential)') AS x",
    },
];
