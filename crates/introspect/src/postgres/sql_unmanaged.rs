//! The question about everything that is not modelled. Nothing is silent: what is not modelled is listed with a text to compare.

use super::raw::Flags;

/// One part per kind that the catalog holds any of, in the shape of the other objects with a text. The texts are the kind in words,
/// the definition, and the class of the catalog, by which members of extensions are told.
pub(super) fn parts(flags: &Flags) -> Vec<String> {
    let mut parts = Vec::new();
    let mut add = |flag: &str, kind: &str, class: &str, namespace: &str, name: &str, definition: &str, from: &str| {
        if flags.has(flag) {
            parts.push(format!(
                "SELECT 'unmanaged', x.oid, {namespace}, 0::oid, ({name})::text, '{kind}', ({definition})::text, '{class}'::regclass::oid::text, \
                   NULL, NULL::text[], false FROM {from}"
            ));
        }
    };
    let normal = "x.oid >= 16384";
    let scope = |column: &str| format!("{column} = ANY ($1::int8[]::oid[])");
    add(
        "cast",
        "cast",
        "pg_cast",
        "0::oid",
        "format_type(x.castsource, NULL) || ' AS ' || format_type(x.casttarget, NULL)",
        "concat_ws(' ', x.castcontext, x.castmethod, NULLIF(x.castfunc, 0)::regprocedure)",
        &format!(
            "pg_cast AS x WHERE {normal} AND NOT EXISTS (SELECT FROM pg_depend AS d \
               WHERE d.classid = 'pg_cast'::regclass AND d.objid = x.oid AND d.deptype = 'i')"
        ),
    );
    add(
        "conversion",
        "conversion",
        "pg_conversion",
        "x.connamespace",
        "x.conname",
        "concat_ws(' ', pg_encoding_to_char(x.conforencoding), pg_encoding_to_char(x.contoencoding), x.conproc::regproc, x.condefault)",
        &format!("pg_conversion AS x WHERE {}", scope("x.connamespace")),
    );
    add(
        "collation",
        "collation",
        "pg_collation",
        "x.collnamespace",
        "x.collname",
        "(to_jsonb(x) - 'oid' - 'collowner' - 'collnamespace' - 'collversion')::text",
        &format!("pg_collation AS x WHERE {}", scope("x.collnamespace")),
    );
    add(
        "language",
        "language",
        "pg_language",
        "0::oid",
        "x.lanname",
        "concat_ws(' ', x.lanpltrusted, NULLIF(x.lanplcallfoid, 0)::regproc, NULLIF(x.laninline, 0)::regproc, NULLIF(x.lanvalidator, 0)::regproc)",
        &format!("pg_language AS x WHERE {normal}"),
    );
    add(
        "operator",
        "operator",
        "pg_operator",
        "x.oprnamespace",
        "x.oprname || ' (' || COALESCE(format_type(NULLIF(x.oprleft, 0), NULL), 'NONE') || ', ' || COALESCE(format_type(NULLIF(x.oprright, 0), NULL), 'NONE') || ')'",
        "concat_ws(' ', x.oprcode::regproc, x.oprcanhash, x.oprcanmerge, NULLIF(x.oprcom, 0)::regoperator, NULLIF(x.oprnegate, 0)::regoperator, \
           NULLIF(x.oprrest, 0)::regproc, NULLIF(x.oprjoin, 0)::regproc)",
        &format!("pg_operator AS x WHERE {}", scope("x.oprnamespace")),
    );
    add(
        "opclass",
        "operator class",
        "pg_opclass",
        "x.opcnamespace",
        "x.opcname || ' USING ' || (SELECT a.amname FROM pg_am AS a WHERE a.oid = x.opcmethod)",
        "concat_ws(' ', format_type(x.opcintype, NULL), x.opcdefault, NULLIF(format_type(x.opckeytype, NULL), '-'))",
        &format!("pg_opclass AS x WHERE {}", scope("x.opcnamespace")),
    );
    add(
        "opfamily",
        "operator family",
        "pg_opfamily",
        "x.opfnamespace",
        "x.opfname || ' USING ' || (SELECT a.amname FROM pg_am AS a WHERE a.oid = x.opfmethod)",
        "(SELECT string_agg(concat_ws(' ', o.amopstrategy, o.amopopr::regoperator), ', ' ORDER BY o.amopstrategy, o.amopopr::regoperator::text) \
           FROM pg_amop AS o WHERE o.amopfamily = x.oid)",
        &format!("pg_opfamily AS x WHERE {}", scope("x.opfnamespace")),
    );
    add(
        "publication",
        "publication",
        "pg_publication",
        "0::oid",
        "x.pubname",
        "(to_jsonb(x) - 'oid' - 'pubowner')::text || COALESCE((SELECT string_agg(r.prrelid::regclass::text, ', ' ORDER BY r.prrelid::regclass::text) \
           FROM pg_publication_rel AS r WHERE r.prpubid = x.oid), '')",
        "pg_publication AS x",
    );
    add(
        "subscription",
        "subscription",
        "pg_subscription",
        "0::oid",
        "x.subname",
        "array_to_string(x.subpublications, ', ')",
        "pg_subscription AS x WHERE x.subdbid = (SELECT d.oid FROM pg_database AS d WHERE d.datname = current_database())",
    );
    add(
        "transform",
        "transform",
        "pg_transform",
        "0::oid",
        "'FOR ' || format_type(x.trftype, NULL) || ' LANGUAGE ' || (SELECT l.lanname FROM pg_language AS l WHERE l.oid = x.trflang)",
        "concat_ws(' ', NULLIF(x.trffromsql, 0)::regproc, NULLIF(x.trftosql, 0)::regproc)",
        "pg_transform AS x",
    );
    text_search(&mut add, &scope);
    foreign(&mut add);
    add(
        "access-method",
        "access method",
        "pg_am",
        "0::oid",
        "x.amname",
        "concat_ws(' ', x.amtype, x.amhandler::regproc)",
        &format!("pg_am AS x WHERE {normal}"),
    );
    add(
        "default-acl",
        "default privileges",
        "pg_default_acl",
        "x.defaclnamespace",
        "concat_ws(' ', 'FOR ROLE', pg_get_userbyid(x.defaclrole), 'ON', CASE x.defaclobjtype WHEN 'r' THEN 'TABLES' WHEN 'S' THEN 'SEQUENCES' \
           WHEN 'f' THEN 'FUNCTIONS' WHEN 'T' THEN 'TYPES' WHEN 'n' THEN 'SCHEMAS' ELSE x.defaclobjtype::text END)",
        "(SELECT string_agg(a::text, ', ' ORDER BY a::text) FROM unnest(x.defaclacl) AS a)",
        &format!("pg_default_acl AS x WHERE x.defaclnamespace = 0 OR {}", scope("x.defaclnamespace")),
    );
    if flags.has("security-label") {
        parts.push(
            "SELECT 'unmanaged', x.objoid, 0::oid, 0::oid, i.type || ' ' || i.identity, 'security label', x.provider || ' ' || x.label, \
               x.classoid::text, NULL, NULL::text[], false FROM pg_seclabel AS x \
             CROSS JOIN LATERAL pg_identify_object(x.classoid, x.objoid, x.objsubid) AS i WHERE x.objoid >= 16384"
                .to_owned(),
        );
    }
    parts
}

fn text_search(add: &mut impl FnMut(&str, &str, &str, &str, &str, &str, &str), scope: &impl Fn(&str) -> String) {
    add(
        "text-search",
        "text search configuration",
        "pg_ts_config",
        "x.cfgnamespace",
        "x.cfgname",
        "(SELECT p.prsname FROM pg_ts_parser AS p WHERE p.oid = x.cfgparser) || ' ' || COALESCE((SELECT string_agg(concat_ws(' ', m.maptokentype, m.mapseqno, m.mapdict::regdictionary), ', ' \
           ORDER BY m.maptokentype, m.mapseqno) FROM pg_ts_config_map AS m WHERE m.mapcfg = x.oid), '')",
        &format!("pg_ts_config AS x WHERE {}", scope("x.cfgnamespace")),
    );
    add(
        "text-search",
        "text search dictionary",
        "pg_ts_dict",
        "x.dictnamespace",
        "x.dictname",
        "concat_ws(' ', (SELECT t.tmplname FROM pg_ts_template AS t WHERE t.oid = x.dicttemplate), x.dictinitoption)",
        &format!("pg_ts_dict AS x WHERE {}", scope("x.dictnamespace")),
    );
    add(
        "text-search",
        "text search parser",
        "pg_ts_parser",
        "x.prsnamespace",
        "x.prsname",
        "concat_ws(' ', x.prsstart, x.prstoken, x.prsend, x.prslextype, x.prsheadline)",
        &format!("pg_ts_parser AS x WHERE {}", scope("x.prsnamespace")),
    );
    add(
        "text-search",
        "text search template",
        "pg_ts_template",
        "x.tmplnamespace",
        "x.tmplname",
        "concat_ws(' ', x.tmplinit, x.tmpllexize)",
        &format!("pg_ts_template AS x WHERE {}", scope("x.tmplnamespace")),
    );
}

fn foreign(add: &mut impl FnMut(&str, &str, &str, &str, &str, &str, &str)) {
    add(
        "fdw",
        "foreign data wrapper",
        "pg_foreign_data_wrapper",
        "0::oid",
        "x.fdwname",
        "concat_ws(' ', NULLIF(x.fdwhandler, 0)::regproc, NULLIF(x.fdwvalidator, 0)::regproc, array_to_string(x.fdwoptions, ', '))",
        "pg_foreign_data_wrapper AS x",
    );
    add(
        "fdw",
        "foreign server",
        "pg_foreign_server",
        "0::oid",
        "x.srvname",
        "concat_ws(' ', (SELECT w.fdwname FROM pg_foreign_data_wrapper AS w WHERE w.oid = x.srvfdw), x.srvtype, x.srvversion, \
           array_to_string(x.srvoptions, ', '))",
        "pg_foreign_server AS x",
    );
    // Options of a mapping hold passwords: they are not read.
    add(
        "fdw",
        "user mapping",
        "pg_user_mapping",
        "0::oid",
        "concat_ws(' ', 'FOR', x.usename, 'SERVER', x.srvname)",
        "''",
        "(SELECT m.umid AS oid, m.usename, m.srvname FROM pg_user_mappings AS m) AS x",
    );
}
