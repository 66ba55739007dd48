//! The question about objects that are kept as the statements that make them.
//!
//! The catalog prints no statement for these kinds: each is put together here, from names that the server quotes itself. What an
//! object is made of comes as one list of texts, each behind a letter that says what it is; [`super::objects`] reads them.

use super::raw::Flags;

/// A kind that is kept as text: how it is read, with its catalog as `x`.
#[derive(Debug)]
pub(super) struct Kind {
    /// What says whether there is any.
    flag: &'static str,
    /// The kind in words.
    kind: &'static str,
    /// The class of the catalog.
    class: &'static str,
    namespace: &'static str,
    name: &'static str,
    /// `c:` a statement that makes it, `d:` the one that drops it, `t:` what COMMENT ON calls it, `s:` and `u:` how a part is given
    /// and taken, `o:` its owner, `a:` and `b:` an item of its access list and of a new one's, `r:` a role that it names, `n:` the
    /// number of a namespace that it is about, `h:` the same where it cannot be without it.
    made_of: &'static str,
    from: &'static str,
}

/// Every kind, with those whose statement the server prints itself.
pub(crate) fn kinds() -> Vec<&'static str> {
    let printed = ["event trigger", "rule", "statistics"];
    let mut all: Vec<_> = KINDS.iter().map(|each| each.kind).chain(printed).collect();
    all.sort_unstable();
    all
}

/// One part per kind that the catalog holds any of, in the shape of the other objects with a text.
pub(super) fn parts(flags: &Flags, major: u32) -> Vec<String> {
    let read = |Kind { flag: _, kind, class, namespace, name, made_of, from }: &Kind| {
        let made_of = if *kind == "publication" { publication(major) } else { (*made_of).to_owned() };
        format!(
            "SELECT 'object', x.oid, {namespace}, 0::oid, ({name})::text, '{kind}', '{class}'::regclass::oid::text, NULL, NULL, {made_of}, \
               false FROM {from}"
        )
    };
    KINDS.iter().filter(|kind| flags.has(kind.flag)).map(read).collect()
}

/// What such objects use. Members of operator classes and families stand for them, tables of publications for these.
pub(super) fn depends(flags: &Flags, normal: &str, reference: &str) -> Vec<String> {
    let there: Vec<&Kind> = KINDS.iter().filter(|kind| flags.has(kind.flag)).collect();
    let mut parts = Vec::new();
    if !there.is_empty() {
        let classes: Vec<String> = there.iter().map(|kind| format!("'{}'::regclass", kind.class)).collect();
        parts.push(format!(
            "SELECT d.classid, d.objid, d.objsubid, {reference} FROM pg_depend AS d WHERE d.classid IN ({}) AND d.objid >= 16384 AND {normal}",
            classes.join(", ")
        ));
    }
    if flags.has("opclass") || flags.has("opfamily") {
        parts.push(format!(
            "SELECT m.refclassid, m.refobjid, 0, {reference} FROM pg_depend AS d \
             JOIN pg_depend AS m ON m.classid = d.classid AND m.objid = d.objid \
               AND m.refclassid IN ('pg_opclass'::regclass, 'pg_opfamily'::regclass) AND m.refobjid >= 16384 \
             WHERE d.classid IN ('pg_amop'::regclass, 'pg_amproc'::regclass) AND {normal}"
        ));
    }
    if flags.has("publication") {
        parts.push(format!(
            "SELECT 'pg_publication'::regclass::oid, r.prpubid, 0, {reference} FROM pg_depend AS d \
             JOIN pg_publication_rel AS r ON r.oid = d.objid \
             WHERE d.classid = 'pg_publication_rel'::regclass AND d.refclassid <> 'pg_publication'::regclass AND {normal}"
        ));
    }
    parts
}

/// Lists of columns, conditions and whole namespaces came with 15, generated columns with 18.
fn publication(major: u32) -> String {
    let (columns, condition, namespaces) = if major >= 15 {
        (
            "COALESCE(' (' || (SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) FROM pg_attribute AS a \
               WHERE a.attrelid = r.prrelid AND a.attnum = ANY (r.prattrs)) || ')', '')",
            "COALESCE(' WHERE (' || pg_get_expr(r.prqual, r.prrelid) || ')', '')",
            " || ARRAY(SELECT unnest(ARRAY['s:ALTER PUBLICATION ' || quote_ident(x.pubname) || ' ADD TABLES IN SCHEMA ' || quote_ident(s.nspname), \
                'u:ALTER PUBLICATION ' || quote_ident(x.pubname) || ' DROP TABLES IN SCHEMA ' || quote_ident(s.nspname), 'n:' || s.oid, 'h:' || s.oid]) \
              FROM pg_publication_namespace AS n JOIN pg_namespace AS s ON s.oid = n.pnnspid WHERE n.pnpubid = x.oid)",
        )
    } else {
        ("''", "''", "")
    };
    let generated = if major >= 18 {
        "WHEN x.pubgencols = 's' THEN 's:ALTER PUBLICATION ' || quote_ident(x.pubname) || ' SET (publish_generated_columns = stored)'"
    } else {
        "WHEN false THEN NULL"
    };
    format!(
        "array_remove(ARRAY['c:CREATE PUBLICATION ' || quote_ident(x.pubname) || CASE WHEN x.puballtables THEN ' FOR ALL TABLES' ELSE '' END, \
           'd:DROP PUBLICATION ' || quote_ident(x.pubname), 't:PUBLICATION ' || quote_ident(x.pubname), 'o:' || pg_get_userbyid(x.pubowner), \
           CASE WHEN NOT (x.pubinsert AND x.pubupdate AND x.pubdelete AND x.pubtruncate) THEN 's:ALTER PUBLICATION ' || quote_ident(x.pubname) \
             || ' SET (publish = ' || quote_literal(concat_ws(', ', CASE WHEN x.pubinsert THEN 'insert' END, CASE WHEN x.pubupdate THEN 'update' END, \
               CASE WHEN x.pubdelete THEN 'delete' END, CASE WHEN x.pubtruncate THEN 'truncate' END)) || ')' END, \
           CASE WHEN NOT (x.pubinsert AND x.pubupdate AND x.pubdelete AND x.pubtruncate) THEN 'u:ALTER PUBLICATION ' || quote_ident(x.pubname) \
             || ' SET (publish = ''insert, update, delete, truncate'')' END, \
           CASE WHEN x.pubviaroot THEN 's:ALTER PUBLICATION ' || quote_ident(x.pubname) || ' SET (publish_via_partition_root = true)' END, \
           CASE WHEN x.pubviaroot THEN 'u:ALTER PUBLICATION ' || quote_ident(x.pubname) || ' SET (publish_via_partition_root = false)' END, \
           CASE {generated} END, \
           CASE {generated_off} END], NULL) \
         || ARRAY(SELECT unnest(ARRAY['s:ALTER PUBLICATION ' || quote_ident(x.pubname) || ' ADD TABLE ONLY ' || r.prrelid::regclass || {columns} || {condition}, \
              'u:ALTER PUBLICATION ' || quote_ident(x.pubname) || ' DROP TABLE ONLY ' || r.prrelid::regclass, 'n:' || c.relnamespace]) \
            FROM pg_publication_rel AS r JOIN pg_class AS c ON c.oid = r.prrelid WHERE r.prpubid = x.oid){namespaces}",
        generated_off = generated.replace("'s:", "'u:").replace("= stored", "= none"),
    )
}

const KINDS: &[Kind] = &[
    Kind {
        flag: "cast",
        kind: "cast",
        class: "pg_cast",
        namespace: "0::oid",
        name: "format_type(x.castsource, NULL) || ' AS ' || format_type(x.casttarget, NULL)",
        made_of: "array_remove(ARRAY[ \
           'c:CREATE CAST (' || format_type(x.castsource, NULL) || ' AS ' || format_type(x.casttarget, NULL) || ')' \
             || CASE x.castmethod WHEN 'f' THEN ' WITH FUNCTION ' || x.castfunc::regprocedure WHEN 'i' THEN ' WITH INOUT' ELSE ' WITHOUT FUNCTION' END \
             || CASE x.castcontext WHEN 'a' THEN ' AS ASSIGNMENT' WHEN 'i' THEN ' AS IMPLICIT' ELSE '' END, \
           'd:DROP CAST (' || format_type(x.castsource, NULL) || ' AS ' || format_type(x.casttarget, NULL) || ')', \
           't:CAST (' || format_type(x.castsource, NULL) || ' AS ' || format_type(x.casttarget, NULL) || ')', \
           (SELECT 'n:' || t.typnamespace FROM pg_type AS t WHERE t.oid = x.castsource), \
           (SELECT 'n:' || t.typnamespace FROM pg_type AS t WHERE t.oid = x.casttarget), \
           (SELECT 'n:' || p.pronamespace FROM pg_proc AS p WHERE p.oid = x.castfunc)], NULL)",
        from: "pg_cast AS x WHERE x.oid >= 16384 AND NOT EXISTS (SELECT FROM pg_depend AS d \
               WHERE d.classid = 'pg_cast'::regclass AND d.objid = x.oid AND d.deptype = 'i')",
    },
    Kind {
        flag: "conversion",
        kind: "conversion",
        class: "pg_conversion",
        namespace: "x.connamespace",
        name: "x.conname",
        made_of: "ARRAY[ \
           'c:CREATE ' || CASE WHEN x.condefault THEN 'DEFAULT ' ELSE '' END || 'CONVERSION ' || x.connamespace::regnamespace || '.' || quote_ident(x.conname) \
             || ' FOR ' || quote_literal(pg_encoding_to_char(x.conforencoding)) || ' TO ' || quote_literal(pg_encoding_to_char(x.contoencoding)) \
             || ' FROM ' || x.conproc::regproc, \
           'd:DROP CONVERSION ' || x.connamespace::regnamespace || '.' || quote_ident(x.conname), \
           't:CONVERSION ' || x.connamespace::regnamespace || '.' || quote_ident(x.conname), \
           'o:' || pg_get_userbyid(x.conowner)]",
        from: "pg_conversion AS x WHERE x.connamespace = ANY ($1::int8[]::oid[])",
    },
    Kind {
        flag: "collation",
        kind: "collation",
        class: "pg_collation",
        namespace: "x.collnamespace",
        name: "x.collname",
        // Which columns there are depends on the version: older ones keep an ICU locale in both of the C library's.
        made_of: "(SELECT ARRAY[ \
           'c:CREATE COLLATION ' || x.collnamespace::regnamespace || '.' || quote_ident(x.collname) || ' (' || concat_ws(', ', \
             'provider = ' || CASE x.collprovider WHEN 'i' THEN 'icu' WHEN 'b' THEN 'builtin' WHEN 'd' THEN 'default' ELSE 'libc' END, \
             CASE WHEN NOT x.collisdeterministic THEN 'deterministic = false' END, \
             CASE WHEN j.locale IS NOT NULL THEN 'locale = ' || quote_literal(j.locale) \
               WHEN x.collcollate = x.collctype THEN 'locale = ' || quote_literal(x.collcollate) \
               ELSE 'lc_collate = ' || quote_literal(x.collcollate) || ', lc_ctype = ' || quote_literal(x.collctype) END, \
             'rules = ' || quote_literal(j.rules)) || ')', \
           'd:DROP COLLATION ' || x.collnamespace::regnamespace || '.' || quote_ident(x.collname), \
           't:COLLATION ' || x.collnamespace::regnamespace || '.' || quote_ident(x.collname), \
           'o:' || pg_get_userbyid(x.collowner)] \
         FROM (SELECT COALESCE(to_jsonb(x) ->> 'colllocale', to_jsonb(x) ->> 'colliculocale') AS locale, to_jsonb(x) ->> 'collicurules' AS rules) AS j)",
        from: "pg_collation AS x WHERE x.collnamespace = ANY ($1::int8[]::oid[]) \
               AND x.collencoding IN (-1, pg_char_to_encoding(getdatabaseencoding()))",
    },
    Kind {
        flag: "language",
        kind: "language",
        class: "pg_language",
        namespace: "0::oid",
        name: "x.lanname",
        made_of: "array_remove(ARRAY[ \
           'c:CREATE ' || CASE WHEN x.lanpltrusted THEN 'TRUSTED ' ELSE '' END || 'LANGUAGE ' || quote_ident(x.lanname) \
             || COALESCE(' HANDLER ' || NULLIF(x.lanplcallfoid, 0)::regproc, '') || COALESCE(' INLINE ' || NULLIF(x.laninline, 0)::regproc, '') \
             || COALESCE(' VALIDATOR ' || NULLIF(x.lanvalidator, 0)::regproc, ''), \
           'd:DROP LANGUAGE ' || quote_ident(x.lanname), 't:LANGUAGE ' || quote_ident(x.lanname), 'o:' || pg_get_userbyid(x.lanowner), \
           (SELECT 'n:' || p.pronamespace FROM pg_proc AS p WHERE p.oid = x.lanplcallfoid)], NULL) \
         || ARRAY(SELECT 'a:' || a FROM unnest(x.lanacl) AS a) \
         || ARRAY(SELECT 'b:' || a FROM unnest(acldefault('l', x.lanowner)) AS a WHERE x.lanacl IS NOT NULL)",
        from: "pg_language AS x WHERE x.oid >= 16384",
    },
    Kind {
        flag: "operator",
        kind: "operator",
        class: "pg_operator",
        namespace: "x.oprnamespace",
        name: "x.oprname || ' (' || CASE x.oprleft WHEN 0 THEN 'NONE' ELSE format_type(x.oprleft, NULL) END || ', ' || format_type(x.oprright, NULL) || ')'",
        // One that was only named by another so far has no function.
        made_of: "(SELECT ARRAY[ \
           'c:CREATE OPERATOR ' || n.quoted || '.' || x.oprname || ' (' || concat_ws(', ', 'FUNCTION = ' || x.oprcode::regproc, \
             'LEFTARG = ' || CASE WHEN x.oprleft <> 0 THEN format_type(x.oprleft, NULL) END, 'RIGHTARG = ' || format_type(x.oprright, NULL), \
             (SELECT 'COMMUTATOR = OPERATOR(' || o.oprnamespace::regnamespace || '.' || o.oprname || ')' FROM pg_operator AS o WHERE o.oid = x.oprcom), \
             (SELECT 'NEGATOR = OPERATOR(' || o.oprnamespace::regnamespace || '.' || o.oprname || ')' FROM pg_operator AS o WHERE o.oid = x.oprnegate), \
             'RESTRICT = ' || NULLIF(x.oprrest, 0)::regproc, 'JOIN = ' || NULLIF(x.oprjoin, 0)::regproc, \
             CASE WHEN x.oprcanhash THEN 'HASHES' END, CASE WHEN x.oprcanmerge THEN 'MERGES' END) || ')', \
           'd:DROP OPERATOR ' || n.quoted || '.' || x.oprname || n.arguments, \
           't:OPERATOR ' || n.quoted || '.' || x.oprname || n.arguments, 'o:' || pg_get_userbyid(x.oprowner)] \
         FROM (SELECT quote_ident(s.nspname) AS quoted, \
             ' (' || CASE x.oprleft WHEN 0 THEN 'NONE' ELSE format_type(x.oprleft, NULL) END || ', ' || format_type(x.oprright, NULL) || ')' AS arguments \
           FROM pg_namespace AS s WHERE s.oid = x.oprnamespace) AS n)",
        from: "pg_operator AS x WHERE x.oprnamespace = ANY ($1::int8[]::oid[]) AND x.oprcode <> 0",
    },
    Kind {
        flag: "opfamily",
        kind: "operator family",
        class: "pg_opfamily",
        namespace: "x.opfnamespace",
        name: "quote_ident(x.opfname) || ' USING ' || (SELECT a.amname FROM pg_am AS a WHERE a.oid = x.opfmethod)",
        // Members that came with an operator class are the class's.
        made_of: "(SELECT ARRAY['c:CREATE OPERATOR FAMILY ' || f.quoted, 'd:DROP OPERATOR FAMILY ' || f.quoted, 't:OPERATOR FAMILY ' || f.quoted, \
             'o:' || pg_get_userbyid(x.opfowner)] \
           || ARRAY(SELECT unnest(ARRAY['s:ALTER OPERATOR FAMILY ' || f.quoted || ' ADD OPERATOR ' || o.amopstrategy || ' ' || o.amopopr::regoperator \
                || COALESCE((SELECT ' FOR ORDER BY ' || s.opfnamespace::regnamespace || '.' || quote_ident(s.opfname) FROM pg_opfamily AS s WHERE s.oid = o.amopsortfamily), ''), \
              'u:ALTER OPERATOR FAMILY ' || f.quoted || ' DROP OPERATOR ' || o.amopstrategy || ' (' || format_type(o.amoplefttype, NULL) || ', ' || format_type(o.amoprighttype, NULL) || ')']) \
              FROM pg_amop AS o WHERE o.amopfamily = x.oid AND NOT EXISTS (SELECT FROM pg_depend AS d \
                WHERE d.classid = 'pg_amop'::regclass AND d.objid = o.oid AND d.refclassid = 'pg_opclass'::regclass)) \
           || ARRAY(SELECT unnest(ARRAY['s:ALTER OPERATOR FAMILY ' || f.quoted || ' ADD FUNCTION ' || p.amprocnum || f.left || format_type(p.amproclefttype, NULL) || ', ' \
                || format_type(p.amprocrighttype, NULL) || ') ' || p.amproc::regprocedure, \
              'u:ALTER OPERATOR FAMILY ' || f.quoted || ' DROP FUNCTION ' || p.amprocnum || f.left || format_type(p.amproclefttype, NULL) || ', ' || format_type(p.amprocrighttype, NULL) || ')']) \
              FROM pg_amproc AS p WHERE p.amprocfamily = x.oid AND NOT EXISTS (SELECT FROM pg_depend AS d \
                WHERE d.classid = 'pg_amproc'::regclass AND d.objid = p.oid AND d.refclassid = 'pg_opclass'::regclass)) \
         FROM (SELECT x.opfnamespace::regnamespace || '.' || quote_ident(x.opfname) || ' USING ' || quote_ident(a.amname) AS quoted, ' (' AS left \
           FROM pg_am AS a WHERE a.oid = x.opfmethod) AS f)",
        from: "pg_opfamily AS x WHERE x.opfnamespace = ANY ($1::int8[]::oid[])",
    },
    Kind {
        flag: "opclass",
        kind: "operator class",
        class: "pg_opclass",
        namespace: "x.opcnamespace",
        name: "quote_ident(x.opcname) || ' USING ' || (SELECT a.amname FROM pg_am AS a WHERE a.oid = x.opcmethod)",
        made_of: "(SELECT ARRAY['c:CREATE OPERATOR CLASS ' || x.opcnamespace::regnamespace || '.' || quote_ident(x.opcname) \
               || CASE WHEN x.opcdefault THEN ' DEFAULT' ELSE '' END || ' FOR TYPE ' || format_type(x.opcintype, NULL) || ' USING ' || m.method \
               || ' FAMILY ' || m.family || ' AS ' || array_to_string( \
               CASE WHEN x.opckeytype <> 0 THEN ARRAY['STORAGE ' || format_type(x.opckeytype, NULL)] ELSE '{}'::text[] END \
               || ARRAY(SELECT 'OPERATOR ' || o.amopstrategy || ' ' || o.amopopr::regoperator \
                   || COALESCE((SELECT ' FOR ORDER BY ' || s.opfnamespace::regnamespace || '.' || quote_ident(s.opfname) FROM pg_opfamily AS s WHERE s.oid = o.amopsortfamily), '') \
                 FROM pg_amop AS o JOIN pg_depend AS d ON d.classid = 'pg_amop'::regclass AND d.objid = o.oid \
                   AND d.refclassid = 'pg_opclass'::regclass AND d.refobjid = x.oid ORDER BY o.amopstrategy, o.amopopr::regoperator::text) \
               || ARRAY(SELECT 'FUNCTION ' || p.amprocnum || ' (' || format_type(p.amproclefttype, NULL) || ', ' || format_type(p.amprocrighttype, NULL) || ') ' || p.amproc::regprocedure \
                 FROM pg_amproc AS p JOIN pg_depend AS d ON d.classid = 'pg_amproc'::regclass AND d.objid = p.oid \
                   AND d.refclassid = 'pg_opclass'::regclass AND d.refobjid = x.oid ORDER BY p.amprocnum, p.amproc::regprocedure::text) \
               || CASE WHEN x.opckeytype = 0 AND NOT EXISTS (SELECT FROM pg_depend AS d WHERE d.refclassid = 'pg_opclass'::regclass AND d.refobjid = x.oid \
                   AND d.classid IN ('pg_amop'::regclass, 'pg_amproc'::regclass)) THEN ARRAY['STORAGE ' || format_type(x.opcintype, NULL)] ELSE '{}'::text[] END, ', '), \
             'd:DROP OPERATOR CLASS ' || x.opcnamespace::regnamespace || '.' || quote_ident(x.opcname) || ' USING ' || m.method, \
             't:OPERATOR CLASS ' || x.opcnamespace::regnamespace || '.' || quote_ident(x.opcname) || ' USING ' || m.method, \
             'o:' || pg_get_userbyid(x.opcowner)] \
         FROM (SELECT quote_ident(a.amname) AS method, f.opfnamespace::regnamespace || '.' || quote_ident(f.opfname) AS family \
           FROM pg_am AS a, pg_opfamily AS f WHERE a.oid = x.opcmethod AND f.oid = x.opcfamily) AS m)",
        from: "pg_opclass AS x WHERE x.opcnamespace = ANY ($1::int8[]::oid[])",
    },
    Kind {
        flag: "publication",
        kind: "publication",
        class: "pg_publication",
        namespace: "0::oid",
        name: "x.pubname",
        made_of: "",
        from: "pg_publication AS x",
    },
    Kind {
        flag: "transform",
        kind: "transform",
        class: "pg_transform",
        namespace: "0::oid",
        name: "'FOR ' || format_type(x.trftype, NULL) || ' LANGUAGE ' || (SELECT quote_ident(l.lanname) FROM pg_language AS l WHERE l.oid = x.trflang)",
        made_of: "(SELECT array_remove(ARRAY['c:CREATE TRANSFORM ' || t.named || ' (' || concat_ws(', ', \
             'FROM SQL WITH FUNCTION ' || NULLIF(x.trffromsql, 0)::regprocedure, 'TO SQL WITH FUNCTION ' || NULLIF(x.trftosql, 0)::regprocedure) || ')', \
             'd:DROP TRANSFORM ' || t.named, 't:TRANSFORM ' || t.named, \
             (SELECT 'n:' || y.typnamespace FROM pg_type AS y WHERE y.oid = x.trftype), \
             (SELECT 'n:' || min(p.pronamespace::int8) FROM pg_proc AS p WHERE p.oid IN (x.trffromsql, x.trftosql))], NULL) \
         FROM (SELECT 'FOR ' || format_type(x.trftype, NULL) || ' LANGUAGE ' || quote_ident(l.lanname) AS named FROM pg_language AS l WHERE l.oid = x.trflang) AS t)",
        from: "pg_transform AS x",
    },
    Kind {
        flag: "access-method",
        kind: "access method",
        class: "pg_am",
        namespace: "0::oid",
        name: "x.amname",
        made_of: "array_remove(ARRAY['c:CREATE ACCESS METHOD ' || quote_ident(x.amname) || ' TYPE ' || CASE x.amtype WHEN 'i' THEN 'INDEX' ELSE 'TABLE' END \
             || ' HANDLER ' || x.amhandler::regproc, 'd:DROP ACCESS METHOD ' || quote_ident(x.amname), 't:ACCESS METHOD ' || quote_ident(x.amname), \
           (SELECT 'n:' || p.pronamespace FROM pg_proc AS p WHERE p.oid = x.amhandler)], NULL)",
        from: "pg_am AS x WHERE x.oid >= 16384",
    },
    Kind {
        flag: "default-acl",
        kind: "default privileges",
        class: "pg_default_acl",
        namespace: "x.defaclnamespace",
        name: "'FOR ROLE ' || quote_ident(pg_get_userbyid(x.defaclrole)) || ' ON ' || CASE x.defaclobjtype WHEN 'r' THEN 'TABLES' WHEN 'S' THEN 'SEQUENCES' \
           WHEN 'f' THEN 'FUNCTIONS' WHEN 'T' THEN 'TYPES' WHEN 'n' THEN 'SCHEMAS' ELSE 'LARGE OBJECTS' END",
        // Those for a namespace are added to those for all, which take the place of the server's own.
        made_of: "(SELECT ARRAY['r:' || pg_get_userbyid(x.defaclrole), 'o:' || pg_get_userbyid(x.defaclrole)] \
           || ARRAY(SELECT 'a:' || a FROM unnest(x.defaclacl) AS a) || ARRAY(SELECT 'b:' || b FROM unnest(w.own) AS b) \
           || ARRAY(SELECT unnest(ARRAY['s:' || h.head || 'GRANT ' || a.privilege_type || h.on || ' TO ' || h.grantee || CASE WHEN a.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END, \
                'u:' || h.head || 'REVOKE ' || a.privilege_type || h.on || ' FROM ' || h.grantee, 'r:' || CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE pg_get_userbyid(a.grantee) END]) \
              FROM aclexplode(x.defaclacl) AS a, LATERAL (SELECT w.head, w.on, CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END AS grantee) AS h \
              WHERE NOT EXISTS (SELECT FROM aclexplode(w.own) AS b WHERE b.grantee = a.grantee AND b.privilege_type = a.privilege_type AND b.is_grantable = a.is_grantable)) \
           || ARRAY(SELECT unnest(ARRAY['s:' || h.head || 'REVOKE ' || b.privilege_type || h.on || ' FROM ' || h.grantee, \
                'u:' || h.head || 'GRANT ' || b.privilege_type || h.on || ' TO ' || h.grantee]) \
              FROM aclexplode(w.own) AS b, LATERAL (SELECT w.head, w.on, CASE b.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(b.grantee)) END AS grantee) AS h \
              WHERE NOT EXISTS (SELECT FROM aclexplode(x.defaclacl) AS a WHERE a.grantee = b.grantee AND a.privilege_type = b.privilege_type)) \
         FROM (SELECT 'ALTER DEFAULT PRIVILEGES FOR ROLE ' || quote_ident(pg_get_userbyid(x.defaclrole)) || COALESCE(' IN SCHEMA ' || NULLIF(x.defaclnamespace, 0)::regnamespace, '') || ' ' AS head, \
             ' ON ' || CASE x.defaclobjtype WHEN 'r' THEN 'TABLES' WHEN 'S' THEN 'SEQUENCES' WHEN 'f' THEN 'FUNCTIONS' WHEN 'T' THEN 'TYPES' \
               WHEN 'n' THEN 'SCHEMAS' ELSE 'LARGE OBJECTS' END AS on, \
             CASE x.defaclnamespace WHEN 0 THEN acldefault(CASE x.defaclobjtype WHEN 'S' THEN 's' ELSE x.defaclobjtype END, x.defaclrole) END AS own) AS w)",
        from: "pg_default_acl AS x WHERE x.defaclnamespace = 0 OR x.defaclnamespace = ANY ($1::int8[]::oid[])",
    },
    Kind {
        flag: "text-search",
        kind: "text search parser",
        class: "pg_ts_parser",
        namespace: "x.prsnamespace",
        name: "x.prsname",
        made_of: "ARRAY['c:CREATE TEXT SEARCH PARSER ' || x.prsnamespace::regnamespace || '.' || quote_ident(x.prsname) || ' (' || concat_ws(', ', \
             'START = ' || x.prsstart, 'GETTOKEN = ' || x.prstoken, 'END = ' || x.prsend, 'LEXTYPES = ' || x.prslextype, \
             'HEADLINE = ' || NULLIF(x.prsheadline::oid, 0)::regproc) || ')', \
           'd:DROP TEXT SEARCH PARSER ' || x.prsnamespace::regnamespace || '.' || quote_ident(x.prsname), \
           't:TEXT SEARCH PARSER ' || x.prsnamespace::regnamespace || '.' || quote_ident(x.prsname)]",
        from: "pg_ts_parser AS x WHERE x.prsnamespace = ANY ($1::int8[]::oid[])",
    },
    Kind {
        flag: "text-search",
        kind: "text search template",
        class: "pg_ts_template",
        namespace: "x.tmplnamespace",
        name: "x.tmplname",
        made_of: "ARRAY['c:CREATE TEXT SEARCH TEMPLATE ' || x.tmplnamespace::regnamespace || '.' || quote_ident(x.tmplname) || ' (' || concat_ws(', ', \
             'INIT = ' || NULLIF(x.tmplinit::oid, 0)::regproc, 'LEXIZE = ' || x.tmpllexize) || ')', \
           'd:DROP TEXT SEARCH TEMPLATE ' || x.tmplnamespace::regnamespace || '.' || quote_ident(x.tmplname), \
           't:TEXT SEARCH TEMPLATE ' || x.tmplnamespace::regnamespace || '.' || quote_ident(x.tmplname)]",
        from: "pg_ts_template AS x WHERE x.tmplnamespace = ANY ($1::int8[]::oid[])",
    },
    Kind {
        flag: "text-search",
        kind: "text search dictionary",
        class: "pg_ts_dict",
        namespace: "x.dictnamespace",
        name: "x.dictname",
        made_of: "ARRAY['c:CREATE TEXT SEARCH DICTIONARY ' || x.dictnamespace::regnamespace || '.' || quote_ident(x.dictname) || ' (' || concat_ws(', ', \
             (SELECT 'TEMPLATE = ' || t.tmplnamespace::regnamespace || '.' || quote_ident(t.tmplname) FROM pg_ts_template AS t WHERE t.oid = x.dicttemplate), \
             x.dictinitoption) || ')', \
           'd:DROP TEXT SEARCH DICTIONARY ' || x.dictnamespace::regnamespace || '.' || quote_ident(x.dictname), \
           't:TEXT SEARCH DICTIONARY ' || x.dictnamespace::regnamespace || '.' || quote_ident(x.dictname), 'o:' || pg_get_userbyid(x.dictowner)]",
        from: "pg_ts_dict AS x WHERE x.dictnamespace = ANY ($1::int8[]::oid[])",
    },
    Kind {
        flag: "text-search",
        kind: "text search configuration",
        class: "pg_ts_config",
        namespace: "x.cfgnamespace",
        name: "x.cfgname",
        made_of: "(SELECT ARRAY['c:CREATE TEXT SEARCH CONFIGURATION ' || q.quoted || ' (PARSER = ' || p.prsnamespace::regnamespace || '.' || quote_ident(p.prsname) || ')', \
             'd:DROP TEXT SEARCH CONFIGURATION ' || q.quoted, 't:TEXT SEARCH CONFIGURATION ' || q.quoted, 'o:' || pg_get_userbyid(x.cfgowner)] \
           || ARRAY(SELECT unnest(ARRAY['s:ALTER TEXT SEARCH CONFIGURATION ' || q.quoted || ' ADD MAPPING FOR ' || quote_ident(k.alias) || ' WITH ' || m.dictionaries, \
                'u:ALTER TEXT SEARCH CONFIGURATION ' || q.quoted || ' DROP MAPPING FOR ' || quote_ident(k.alias)]) \
              FROM (SELECT m.maptokentype, string_agg(d.dictnamespace::regnamespace || '.' || quote_ident(d.dictname), ', ' ORDER BY m.mapseqno) AS dictionaries \
                  FROM pg_ts_config_map AS m JOIN pg_ts_dict AS d ON d.oid = m.mapdict WHERE m.mapcfg = x.oid GROUP BY m.maptokentype) AS m \
                JOIN ts_token_type(x.cfgparser) AS k ON k.tokid = m.maptokentype) \
         FROM pg_ts_parser AS p, (SELECT x.cfgnamespace::regnamespace || '.' || quote_ident(x.cfgname) AS quoted) AS q WHERE p.oid = x.cfgparser)",
        from: "pg_ts_config AS x WHERE x.cfgnamespace = ANY ($1::int8[]::oid[])",
    },
    Kind {
        flag: "fdw",
        kind: "foreign data wrapper",
        class: "pg_foreign_data_wrapper",
        namespace: "0::oid",
        name: "x.fdwname",
        made_of: "ARRAY['c:CREATE FOREIGN DATA WRAPPER ' || quote_ident(x.fdwname) || COALESCE(' HANDLER ' || NULLIF(x.fdwhandler, 0)::regproc, '') \
             || COALESCE(' VALIDATOR ' || NULLIF(x.fdwvalidator, 0)::regproc, ''), \
           'd:DROP FOREIGN DATA WRAPPER ' || quote_ident(x.fdwname), 't:FOREIGN DATA WRAPPER ' || quote_ident(x.fdwname), 'o:' || pg_get_userbyid(x.fdwowner)] \
         || ARRAY(SELECT unnest(ARRAY['s:ALTER FOREIGN DATA WRAPPER ' || quote_ident(x.fdwname) || ' OPTIONS (ADD ' || quote_ident(o.option_name) || ' ' || quote_literal(o.option_value) || ')', \
              'u:ALTER FOREIGN DATA WRAPPER ' || quote_ident(x.fdwname) || ' OPTIONS (DROP ' || quote_ident(o.option_name) || ')']) \
            FROM pg_options_to_table(x.fdwoptions) AS o WHERE o.option_name !~* '(pass|secret|token|key|credential)') \
         || ARRAY(SELECT 'a:' || a FROM unnest(x.fdwacl) AS a) \
         || ARRAY(SELECT 'b:' || a FROM unnest(acldefault('F', x.fdwowner)) AS a WHERE x.fdwacl IS NOT NULL)",
        from: "pg_foreign_data_wrapper AS x",
    },
    Kind {
        flag: "fdw",
        kind: "foreign server",
        class: "pg_foreign_server",
        namespace: "0::oid",
        name: "x.srvname",
        made_of: "array_remove(ARRAY['c:CREATE SERVER ' || quote_ident(x.srvname) || COALESCE(' TYPE ' || quote_literal(x.srvtype), '') \
             || (SELECT ' FOREIGN DATA WRAPPER ' || quote_ident(w.fdwname) FROM pg_foreign_data_wrapper AS w WHERE w.oid = x.srvfdw), \
           'd:DROP SERVER ' || quote_ident(x.srvname), 't:SERVER ' || quote_ident(x.srvname), 'o:' || pg_get_userbyid(x.srvowner), \
           's:ALTER SERVER ' || quote_ident(x.srvname) || ' VERSION ' || quote_literal(x.srvversion), \
           CASE WHEN x.srvversion IS NOT NULL THEN 'u:ALTER SERVER ' || quote_ident(x.srvname) || ' VERSION NULL' END], NULL) \
         || ARRAY(SELECT unnest(ARRAY['s:ALTER SERVER ' || quote_ident(x.srvname) || ' OPTIONS (ADD ' || quote_ident(o.option_name) || ' ' || quote_literal(o.option_value) || ')', \
              'u:ALTER SERVER ' || quote_ident(x.srvname) || ' OPTIONS (DROP ' || quote_ident(o.option_name) || ')']) \
            FROM pg_options_to_table(x.srvoptions) AS o WHERE o.option_name !~* '(pass|secret|token|key|credential)') \
         || ARRAY(SELECT 'a:' || a FROM unnest(x.srvacl) AS a) \
         || ARRAY(SELECT 'b:' || a FROM unnest(acldefault('S', x.srvowner)) AS a WHERE x.srvacl IS NOT NULL)",
        from: "pg_foreign_server AS x",
    },
    Kind {
        flag: "fdw",
        kind: "user mapping",
        class: "pg_user_mapping",
        namespace: "0::oid",
        name: "'FOR ' || CASE x.umuser WHEN 0 THEN 'PUBLIC' ELSE quote_ident(x.usename) END || ' SERVER ' || quote_ident(x.srvname)",
        // Options of a mapping hold passwords: one that may have any is not managed.
        made_of: "(SELECT ARRAY['c:CREATE USER MAPPING ' || m.named, 'd:DROP USER MAPPING ' || m.named, \
             'r:' || CASE x.umuser WHEN 0 THEN 'PUBLIC' ELSE x.usename END] \
         FROM (SELECT 'FOR ' || CASE x.umuser WHEN 0 THEN 'PUBLIC' ELSE quote_ident(x.usename) END || ' SERVER ' || quote_ident(x.srvname) AS named) AS m)",
        from: "(SELECT m.umid AS oid, m.umuser, m.usename, m.srvname FROM pg_user_mappings AS m \
               WHERE m.umoptions IS NULL AND (SELECT r.rolsuper FROM pg_roles AS r WHERE r.rolname = current_user)) AS x",
    },
];
