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

/// Labels hang on objects of every kind.
const SECURITY_LABELS: &str = "SELECT 'unmanaged', x.objoid, 0::oid, 0::oid, i.type || ' ' || i.identity, 'security label', x.provider || ' ' || x.label, \
       x.classoid::text, NULL, NULL::text[], false FROM pg_seclabel AS x \
     CROSS JOIN LATERAL pg_identify_object(x.classoid, x.objoid, x.objsubid) AS i WHERE x.objoid >= 16384";

const KINDS: &[Kind] = &[
    Kind {
        flag: "cast",
        kind: "cast",
        class: "pg_cast",
        namespace: "0::oid",
        name: "format_type(x.castsource, NULL) || ' AS ' || format_type(x.casttarget, NULL)",
        definition: "concat_ws(' ', x.castcontext, x.castmethod, NULLIF(x.castfunc, 0)::regprocedure)",
        from: "pg_cast AS x WHERE x.oid >= 16384 AND NOT EXISTS (SELECT FROM pg_depend AS d \
               WHERE d.classid = 'pg_cast'::regclass AND d.objid = x.oid AND d.deptype = 'i')",
    },
    Kind {
        flag: "conversion",
        kind: "conversion",
        class: "pg_conversion",
        namespace: "x.connamespace",
        name: "x.conname",
        definition: "concat_ws(' ', pg_encoding_to_char(x.conforencoding), pg_encoding_to_char(x.contoencoding), x.conproc::regproc, x.condefault)",
        from: "pg_conversion AS x WHERE x.connamespace = ANY ($1::int8[]::oid[])",
    },
    Kind {
        flag: "collation",
        kind: "collation",
        class: "pg_collation",
        namespace: "x.collnamespace",
        name: "x.collname",
        definition: "(to_jsonb(x) - 'oid' - 'collowner' - 'collnamespace' - 'collversion')::text",
        from: "pg_collation AS x WHERE x.collnamespace = ANY ($1::int8[]::oid[])",
    },
    Kind {
        flag: "language",
        kind: "language",
        class: "pg_language",
        namespace: "0::oid",
        name: "x.lanname",
        definition: "concat_ws(' ', x.lanpltrusted, NULLIF(x.lanplcallfoid, 0)::regproc, NULLIF(x.laninline, 0)::regproc, NULLIF(x.lanvalidator, 0)::regproc)",
        from: "pg_language AS x WHERE x.oid >= 16384",
    },
    Kind {
        flag: "operator",
        kind: "operator",
        class: "pg_operator",
        namespace: "x.oprnamespace",
        name: "x.oprname || ' (' || COALESCE(format_type(NULLIF(x.oprleft, 0), NULL), 'NONE') || ', ' || COALESCE(format_type(NULLIF(x.oprright, 0), NULL), 'NONE') || ')'",
        definition: "concat_ws(' ', x.oprcode::regproc, x.oprcanhash, x.oprcanmerge, NULLIF(x.oprcom, 0)::regoperator, NULLIF(x.oprnegate, 0)::regoperator, \
           NULLIF(x.oprrest, 0)::regproc, NULLIF(x.oprjoin, 0)::regproc)",
        from: "pg_operator AS x WHERE x.oprnamespace = ANY ($1::int8[]::oid[])",
    },
    Kind {
        flag: "opclass",
        kind: "operator class",
        class: "pg_opclass",
        namespace: "x.opcnamespace",
        name: "x.opcname || ' USING ' || (SELECT a.amname FROM pg_am AS a WHERE a.oid = x.opcmethod)",
        definition: "concat_ws(' ', format_type(x.opcintype, NULL), x.opcdefault, NULLIF(format_type(x.opckeytype, NULL), '-'))",
        from: "pg_opclass AS x WHERE x.opcnamespace = ANY ($1::int8[]::oid[])",
    },
    Kind {
        flag: "opfamily",
        kind: "operator family",
        class: "pg_opfamily",
        namespace: "x.opfnamespace",
        name: "x.opfname || ' USING ' || (SELECT a.amname FROM pg_am AS a WHERE a.oid = x.opfmethod)",
        definition: "(SELECT string_agg(concat_ws(' ', o.amopstrategy, o.amopopr::regoperator), ', ' ORDER BY o.amopstrategy, o.amopopr::regoperator::text) \
           FROM pg_amop AS o WHERE o.amopfamily = x.oid)",
        from: "pg_opfamily AS x WHERE x.opfnamespace = ANY ($1::int8[]::oid[])",
    },
    Kind {
        flag: "publication",
        kind: "publication",
        class: "pg_publication",
        namespace: "0::oid",
        name: "x.pubname",
        definition: "(to_jsonb(x) - 'oid' - 'pubowner')::text || COALESCE((SELECT string_agg(r.prrelid::regclass::text, ', ' ORDER BY r.prrelid::regclass::text) \
           FROM pg_publication_rel AS r WHERE r.prpubid = x.oid), '')",
        from: "pg_publication AS x",
    },
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
        flag: "transform",
        kind: "transform",
        class: "pg_transform",
        namespace: "0::oid",
        name: "'FOR ' || format_type(x.trftype, NULL) || ' LANGUAGE ' || (SELECT l.lanname FROM pg_language AS l WHERE l.oid = x.trflang)",
        definition: "concat_ws(' ', NULLIF(x.trffromsql, 0)::regproc, NULLIF(x.trftosql, 0)::regproc)",
        from: "pg_transform AS x",
    },
    Kind {
        flag: "access-method",
        kind: "access method",
        class: "pg_am",
        namespace: "0::oid",
        name: "x.amname",
        definition: "concat_ws(' ', x.amtype, x.amhandler::regproc)",
        from: "pg_am AS x WHERE x.oid >= 16384",
    },
    Kind {
        flag: "default-acl",
        kind: "default privileges",
        class: "pg_default_acl",
        namespace: "x.defaclnamespace",
        name: "concat_ws(' ', 'FOR ROLE', pg_get_userbyid(x.defaclrole), 'ON', CASE x.defaclobjtype WHEN 'r' THEN 'TABLES' WHEN 'S' THEN 'SEQUENCES' \
           WHEN 'f' THEN 'FUNCTIONS' WHEN 'T' THEN 'TYPES' WHEN 'n' THEN 'SCHEMAS' ELSE x.defaclobjtype::text END)",
        definition: "(SELECT string_agg(a::text, ', ' ORDER BY a::text) FROM unnest(x.defaclacl) AS a)",
        from: "pg_default_acl AS x WHERE x.defaclnamespace = 0 OR x.defaclnamespace = ANY ($1::int8[]::oid[])",
    },
    Kind {
        flag: "text-search",
        kind: "text search configuration",
        class: "pg_ts_config",
        namespace: "x.cfgnamespace",
        name: "x.cfgname",
        definition: "(SELECT p.prsname FROM pg_ts_parser AS p WHERE p.oid = x.cfgparser) || ' ' || COALESCE((SELECT string_agg(concat_ws(' ', m.maptokentype, m.mapseqno, m.mapdict::regdictionary), ', ' \
           ORDER BY m.maptokentype, m.mapseqno) FROM pg_ts_config_map AS m WHERE m.mapcfg = x.oid), '')",
        from: "pg_ts_config AS x WHERE x.cfgnamespace = ANY ($1::int8[]::oid[])",
    },
    Kind {
        flag: "text-search",
        kind: "text search dictionary",
        class: "pg_ts_dict",
        namespace: "x.dictnamespace",
        name: "x.dictname",
        definition: "concat_ws(' ', (SELECT t.tmplname FROM pg_ts_template AS t WHERE t.oid = x.dicttemplate), x.dictinitoption)",
        from: "pg_ts_dict AS x WHERE x.dictnamespace = ANY ($1::int8[]::oid[])",
    },
    Kind {
        flag: "text-search",
        kind: "text search parser",
        class: "pg_ts_parser",
        namespace: "x.prsnamespace",
        name: "x.prsname",
        definition: "concat_ws(' ', x.prsstart, x.prstoken, x.prsend, x.prslextype, x.prsheadline)",
        from: "pg_ts_parser AS x WHERE x.prsnamespace = ANY ($1::int8[]::oid[])",
    },
    Kind {
        flag: "text-search",
        kind: "text search template",
        class: "pg_ts_template",
        namespace: "x.tmplnamespace",
        name: "x.tmplname",
        definition: "concat_ws(' ', x.tmplinit, x.tmpllexize)",
        from: "pg_ts_template AS x WHERE x.tmplnamespace = ANY ($1::int8[]::oid[])",
    },
    Kind {
        flag: "fdw",
        kind: "foreign data wrapper",
        class: "pg_foreign_data_wrapper",
        namespace: "0::oid",
        name: "x.fdwname",
        definition: "concat_ws(' ', NULLIF(x.fdwhandler, 0)::regproc, NULLIF(x.fdwvalidator, 0)::regproc, array_to_string(x.fdwoptions, ', '))",
        from: "pg_foreign_data_wrapper AS x",
    },
    Kind {
        flag: "fdw",
        kind: "foreign server",
        class: "pg_foreign_server",
        namespace: "0::oid",
        name: "x.srvname",
        definition: "concat_ws(' ', (SELECT w.fdwname FROM pg_foreign_data_wrapper AS w WHERE w.oid = x.srvfdw), x.srvtype, x.srvversion, \
           array_to_string(x.srvoptions, ', '))",
        from: "pg_foreign_server AS x",
    },
    Kind {
        flag: "fdw",
        // Options of a mapping hold passwords: they are not read.
        kind: "user mapping",
        class: "pg_user_mapping",
        namespace: "0::oid",
        name: "concat_ws(' ', 'FOR', x.usename, 'SERVER', x.srvname)",
        definition: "''",
        from: "(SELECT m.umid AS oid, m.usename, m.srvname FROM pg_user_mappings AS m) AS x",
    },
];
