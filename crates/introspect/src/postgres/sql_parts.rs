//! The questions about types, routines, triggers, policies and other objects with a text, and about dependencies.

use super::raw::Flags;

/// Enums, domains, composites, ranges; base types only to say that they are there.
pub(super) const TYPES: &str = "SELECT t.oid, t.typnamespace, t.typname::text, t.typtype, t.typrelid, t.typarray, pg_get_userbyid(t.typowner)::text, \
       t.typacl::text[], CASE WHEN t.typacl IS NOT NULL THEN acldefault('T', t.typowner)::text[] END, \
       CASE t.typtype WHEN 'e' THEN ARRAY(SELECT e.enumlabel::text FROM pg_enum AS e WHERE e.enumtypid = t.oid ORDER BY e.enumsortorder) END, \
       t.typbasetype, CASE t.typtype WHEN 'd' THEN format_type(t.typbasetype, t.typtypmod) END, t.typnotnull, \
       pg_get_expr(t.typdefaultbin, 0), t.typcollation, b.typcollation, \
       r.rngsubtype, format_type(r.rngsubtype, NULL), r.rngmultitypid, format_type(r.rngmultitypid, NULL), r.rngcollation, s.typcollation, \
       r.rngsubopc, NULLIF(r.rngcanonical, 0)::regproc::text, NULLIF(r.rngsubdiff, 0)::regproc::text \
     FROM pg_type AS t LEFT JOIN pg_class AS c ON c.oid = t.typrelid LEFT JOIN pg_type AS b ON b.oid = t.typbasetype \
     LEFT JOIN pg_range AS r ON r.rngtypid = t.oid LEFT JOIN pg_type AS s ON s.oid = r.rngsubtype \
     WHERE t.typnamespace = ANY ($1::int8[]::oid[]) AND (t.typtype IN ('e', 'd', 'r') OR t.typtype = 'c' AND c.relkind = 'c' \
       OR t.typtype = 'p' OR t.typtype = 'b' AND t.typcategory <> 'A')";

/// Functions, procedures and aggregates; members of extensions and constructors of ranges left out.
pub(super) const ROUTINES: &str = "SELECT p.oid, p.pronamespace, p.proname::text, p.prokind, oidvectortypes(p.proargtypes), \
       pg_get_function_identity_arguments(p.oid), pg_get_function_arguments(p.oid), pg_get_function_result(p.oid), \
       CASE WHEN p.prokind <> 'a' THEN pg_get_functiondef(p.oid) END, p.prosqlbody IS NOT NULL, \
       CASE WHEN l.lanname NOT IN ('c', 'internal') AND p.prosqlbody IS NULL THEN p.prosrc END, \
       pg_get_userbyid(p.proowner)::text, p.proacl::text[], CASE WHEN p.proacl IS NOT NULL THEN acldefault('f', p.proowner)::text[] END, \
       CASE WHEN p.prokind = 'a' THEN (SELECT array_remove(ARRAY[ \
         'SFUNC = ' || a.aggtransfn::regproc, 'STYPE = ' || format_type(a.aggtranstype, NULL), \
         'SSPACE = ' || NULLIF(a.aggtransspace, 0), \
         'FINALFUNC = ' || NULLIF(a.aggfinalfn, 0)::regproc, CASE WHEN a.aggfinalextra THEN 'FINALFUNC_EXTRA' END, \
         CASE WHEN a.aggfinalfn <> 0 AND a.aggfinalmodify <> CASE a.aggkind WHEN 'n' THEN 'r'::\"char\" ELSE 'w' END THEN 'FINALFUNC_MODIFY = ' \
           || CASE a.aggfinalmodify WHEN 'r' THEN 'READ_ONLY' WHEN 's' THEN 'SHAREABLE' ELSE 'READ_WRITE' END END, \
         'COMBINEFUNC = ' || NULLIF(a.aggcombinefn, 0)::regproc, 'SERIALFUNC = ' || NULLIF(a.aggserialfn, 0)::regproc, \
         'DESERIALFUNC = ' || NULLIF(a.aggdeserialfn, 0)::regproc, 'INITCOND = ' || quote_literal(a.agginitval), \
         'MSFUNC = ' || NULLIF(a.aggmtransfn, 0)::regproc, 'MINVFUNC = ' || NULLIF(a.aggminvtransfn, 0)::regproc, \
         'MSTYPE = ' || CASE WHEN a.aggmtranstype <> 0 THEN format_type(a.aggmtranstype, NULL) END, 'MSSPACE = ' || NULLIF(a.aggmtransspace, 0), \
         'MFINALFUNC = ' || NULLIF(a.aggmfinalfn, 0)::regproc, CASE WHEN a.aggmfinalextra THEN 'MFINALFUNC_EXTRA' END, \
         CASE WHEN a.aggmfinalfn <> 0 AND a.aggmfinalmodify <> CASE a.aggkind WHEN 'n' THEN 'r'::\"char\" ELSE 'w' END THEN 'MFINALFUNC_MODIFY = ' \
           || CASE a.aggmfinalmodify WHEN 'r' THEN 'READ_ONLY' WHEN 's' THEN 'SHAREABLE' ELSE 'READ_WRITE' END END, \
         'MINITCOND = ' || quote_literal(a.aggminitval), \
         'SORTOP = ' || (SELECT 'OPERATOR(' || quote_ident(n.nspname) || '.' || o.oprname || ')' FROM pg_operator AS o \
           JOIN pg_namespace AS n ON n.oid = o.oprnamespace WHERE o.oid = a.aggsortop), \
         CASE p.proparallel WHEN 's' THEN 'PARALLEL = SAFE' WHEN 'r' THEN 'PARALLEL = RESTRICTED' END, \
         CASE a.aggkind WHEN 'h' THEN 'HYPOTHETICAL' END], NULL) FROM pg_aggregate AS a WHERE a.aggfnoid = p.oid) END \
     FROM pg_proc AS p JOIN pg_language AS l ON l.oid = p.prolang \
     WHERE p.pronamespace = ANY ($1::int8[]::oid[]) AND NOT EXISTS (SELECT FROM pg_depend AS d \
       WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype IN ('e', 'i'))";

/// Objects with a text of their own. Kind, number, namespace, relation, name, four texts, a list of texts, a flag.
pub(super) fn texts(flags: &Flags) -> Vec<String> {
    let mut parts = Vec::new();
    let in_scope = "c.relnamespace = ANY ($1::int8[]::oid[])";
    if flags.has("triggers") {
        parts.push(format!(
            "SELECT 'trigger', t.oid, c.relnamespace, t.tgrelid, t.tgname::text, pg_get_triggerdef(t.oid), t.tgenabled::text, NULL, NULL, \
               NULL::text[], false FROM pg_trigger AS t JOIN pg_class AS c ON c.oid = t.tgrelid \
             WHERE NOT t.tgisinternal AND t.tgparentid = 0 AND {in_scope}"
        ));
    }
    if flags.has("policies") {
        parts.push(format!(
            "SELECT 'policy', p.oid, c.relnamespace, p.polrelid, p.polname::text, p.polcmd::text, pg_get_expr(p.polqual, p.polrelid), \
               pg_get_expr(p.polwithcheck, p.polrelid), NULL, \
               ARRAY(SELECT CASE r.role WHEN 0 THEN 'PUBLIC' ELSE pg_get_userbyid(r.role)::text END FROM unnest(p.polroles) AS r (role)), \
               NOT p.polpermissive FROM pg_policy AS p JOIN pg_class AS c ON c.oid = p.polrelid WHERE {in_scope}"
        ));
    }
    if flags.has("rules") {
        parts.push(format!(
            "SELECT 'rule', r.oid, c.relnamespace, r.ev_class, r.rulename::text, pg_get_ruledef(r.oid), r.ev_enabled::text, NULL, NULL, \
               NULL::text[], false FROM pg_rewrite AS r JOIN pg_class AS c ON c.oid = r.ev_class \
             WHERE r.rulename <> '_RETURN' AND {in_scope}"
        ));
    }
    if flags.has("statistics") {
        // The server tells the columns in the order of the table, which means nothing.
        let columns = |order: &str| {
            format!(
                "(SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY {order}) FROM pg_attribute AS a \
                  WHERE a.attrelid = s.stxrelid AND a.attnum = ANY (s.stxkeys::int2[]))"
            )
        };
        let (theirs, ours) = (columns("a.attnum"), columns("a.attname"));
        parts.push(format!(
            "SELECT 'statistics', s.oid, s.stxnamespace, s.stxrelid, s.stxname::text, \
               coalesce(replace(pg_get_statisticsobjdef(s.oid), ' ON ' || {theirs}, ' ON ' || {ours}), pg_get_statisticsobjdef(s.oid)), \
               (CASE WHEN s.stxstattarget >= 0 THEN s.stxstattarget END)::text, pg_get_userbyid(s.stxowner)::text, NULL, NULL::text[], false \
             FROM pg_statistic_ext AS s WHERE s.stxnamespace = ANY ($1::int8[]::oid[])"
        ));
    }
    if flags.has("event-triggers") {
        parts.push(
            "SELECT 'event trigger', e.oid, p.pronamespace, 0, e.evtname::text, e.evtevent::text, e.evtenabled::text, e.evtfoid::regproc::text, \
               pg_get_userbyid(e.evtowner)::text, e.evttags, false FROM pg_event_trigger AS e JOIN pg_proc AS p ON p.oid = e.evtfoid"
                .to_owned(),
        );
    }
    parts
}

/// What uses what, of objects that are no part of the server: class, number and part on both sides. Columns stand for their
/// defaults, views for their rules.
pub(super) fn depends(flags: &Flags) -> String {
    let normal = "d.refobjid >= 16384 AND d.deptype IN ('n', 'a', 'x')";
    let reference = "d.refclassid, d.refobjid, d.refobjsubid";
    let scope = "ANY ($1::int8[]::oid[])";
    let mut parts = vec![
        // Defaults and generated columns.
        format!(
            "SELECT 'pg_class'::regclass::oid, a.adrelid, a.adnum::int4, {reference} FROM pg_depend AS d JOIN pg_attrdef AS a ON a.oid = d.objid \
             JOIN pg_class AS c ON c.oid = a.adrelid WHERE d.classid = 'pg_attrdef'::regclass AND {normal} AND c.relnamespace = {scope}"
        ),
        // Types and collations of columns; functions and columns of index expressions; extensions.
        format!(
            "SELECT d.classid, d.objid, d.objsubid, {reference} FROM pg_depend AS d JOIN pg_class AS c ON c.oid = d.objid \
             WHERE d.classid = 'pg_class'::regclass AND {normal} AND c.relnamespace = {scope} \
               AND (d.refclassid <> 'pg_class'::regclass OR d.objsubid > 0 OR c.relkind IN ('i', 'I') AND EXISTS (SELECT FROM pg_index AS i \
                 WHERE i.indexrelid = c.oid AND (i.indexprs IS NOT NULL OR i.indpred IS NOT NULL)))"
        ),
        // Checks and exclusions.
        format!(
            "SELECT d.classid, d.objid, d.objsubid, {reference} FROM pg_depend AS d JOIN pg_constraint AS n ON n.oid = d.objid \
             WHERE d.classid = 'pg_constraint'::regclass AND {normal} AND n.contype IN ('c', 'x') AND n.connamespace = {scope}"
        ),
    ];
    if flags.has("views") || flags.has("rules") {
        parts.push(format!(
            "SELECT CASE r.rulename WHEN '_RETURN' THEN 'pg_class'::regclass::oid ELSE d.classid END, \
               CASE r.rulename WHEN '_RETURN' THEN r.ev_class ELSE d.objid END, 0, {reference} \
             FROM pg_depend AS d JOIN pg_rewrite AS r ON r.oid = d.objid JOIN pg_class AS c ON c.oid = r.ev_class \
             WHERE d.classid = 'pg_rewrite'::regclass AND {normal} AND c.relnamespace = {scope}"
        ));
    }
    let mut simple = |flag: &str, class: &str, alias: &str, namespace: &str| {
        if flags.has(flag) {
            parts.push(format!(
                "SELECT d.classid, d.objid, d.objsubid, {reference} FROM pg_depend AS d JOIN {class} AS {alias} ON {alias}.oid = d.objid \
                 WHERE d.classid = '{class}'::regclass AND {normal} AND {namespace}"
            ));
        }
    };
    let relation = |column: &str| {
        format!("EXISTS (SELECT FROM pg_class AS c WHERE c.oid = {column} AND c.relnamespace = {scope})")
    };
    simple("routines", "pg_proc", "p", &format!("p.pronamespace = {scope}"));
    simple("types", "pg_type", "t", &format!("t.typnamespace = {scope} AND d.refclassid <> 'pg_class'::regclass"));
    simple("triggers", "pg_trigger", "t", &format!("NOT t.tgisinternal AND {}", relation("t.tgrelid")));
    simple("policies", "pg_policy", "p", &relation("p.polrelid"));
    simple("statistics", "pg_statistic_ext", "s", &format!("s.stxnamespace = {scope}"));
    simple("event-triggers", "pg_event_trigger", "e", "true");
    parts.extend(super::sql_objects::depends(flags, normal, reference));
    parts.join(" UNION ALL ")
}

/// Casts, types without equality, roles, namespaces that hold something or were made by somebody: kind, two names, a word.
pub(super) const FACTS: &str = "SELECT 'cast', format_type(c.castsource, NULL), format_type(c.casttarget, NULL), c.castcontext::text FROM pg_cast AS c \
     UNION ALL SELECT 'no-equality', format_type(t.oid, NULL), NULL, NULL FROM pg_type AS t WHERE t.typtype = 'b' AND t.typcategory <> 'A' \
       AND t.typname NOT LIKE 'pg\\_%' AND NOT EXISTS (SELECT FROM pg_operator AS o JOIN pg_amop AS m ON m.amopopr = o.oid AND m.amopstrategy = 3 \
         JOIN pg_am AS a ON a.oid = m.amopmethod AND a.amname = 'btree' WHERE o.oprleft = t.oid AND o.oprright = t.oid) \
       AND NOT EXISTS (SELECT FROM pg_operator AS o JOIN pg_amop AS m ON m.amopopr = o.oid AND m.amopstrategy = 1 \
         JOIN pg_am AS a ON a.oid = m.amopmethod AND a.amname = 'hash' WHERE o.oprleft = t.oid AND o.oprright = t.oid) \
       AND NOT EXISTS (SELECT FROM pg_cast AS k WHERE k.castsource = t.oid AND k.castmethod = 'b' AND k.castcontext = 'i') \
     UNION ALL SELECT 'role', r.rolname::text, NULL, NULL FROM pg_roles AS r \
     UNION ALL SELECT 'namespace', n.nspname::text, NULL, NULL FROM pg_namespace AS n \
       WHERE n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema' AND NOT EXISTS (SELECT FROM pg_depend AS d \
           WHERE d.classid = 'pg_namespace'::regclass AND d.objid = n.oid AND d.deptype = 'e') \
         AND (n.nspname <> 'public' OR EXISTS (SELECT FROM pg_class AS c WHERE c.relnamespace = n.oid AND NOT EXISTS (SELECT \
           FROM pg_depend AS d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')))";

/// Names of things outside what was read: their place in the list, kind, names, arguments.
pub(super) const EXTERNAL: &str = "SELECT w.at, i.type, i.object_names, i.object_args FROM unnest($1::int8[], $2::int8[], $3::int8[]) \
       WITH ORDINALITY AS w (class, object, part, at) \
     CROSS JOIN LATERAL pg_identify_object_as_address(w.class::oid, w.object::oid, w.part::int4) AS i";
