//! The questions about tables and what belongs to them.
//!
//! `$1` is always the list of namespaces in scope, by number.

use super::raw::Flags;

/// Classes of the catalog by number; the same in every version.
pub(super) mod class {
    pub(in crate::postgres) const TYPE: i64 = 1247;
    pub(in crate::postgres) const PROC: i64 = 1255;
    pub(in crate::postgres) const CLASS: i64 = 1259;
    pub(in crate::postgres) const CONSTRAINT: i64 = 2606;
    pub(in crate::postgres) const NAMESPACE: i64 = 2615;
    pub(in crate::postgres) const TRIGGER: i64 = 2620;
    pub(in crate::postgres) const REWRITE: i64 = 2618;
    pub(in crate::postgres) const EXTENSION: i64 = 3079;
    pub(in crate::postgres) const POLICY: i64 = 3256;
    pub(in crate::postgres) const STATISTIC: i64 = 3381;
    pub(in crate::postgres) const EVENT_TRIGGER: i64 = 3466;
}

/// Objects that are not the server's own have greater numbers.
pub(super) const FIRST_NORMAL: i64 = 16384;

/// Pins the search path for the transaction, and asks which rare kinds there are.
pub(super) fn setup(local: bool) -> String {
    format!(
        "SELECT pg_catalog.set_config('search_path', '', {local}), \
           pg_catalog.current_setting('server_version_num')::pg_catalog.int4, \
           pg_catalog.current_setting('server_encoding'), d.datcollate::pg_catalog.text, d.datctype::pg_catalog.text, \
           current_user::pg_catalog.text, \
           (pg_catalog.current_setting('max_locks_per_transaction')::pg_catalog.int8 \
             * (pg_catalog.current_setting('max_connections')::pg_catalog.int8 \
               + pg_catalog.current_setting('max_prepared_transactions')::pg_catalog.int8))::pg_catalog.text, \
           ARRAY(SELECT f.kind FROM (VALUES \
             ('types', EXISTS (SELECT FROM pg_catalog.pg_type WHERE oid >= 16384 AND (typtype IN ('e', 'd', 'r', 'p') \
               OR typtype = 'b' AND typelem = 0)) OR EXISTS (SELECT FROM pg_catalog.pg_class WHERE relkind = 'c' AND oid >= 16384)), \
             ('routines', EXISTS (SELECT FROM pg_catalog.pg_proc WHERE oid >= 16384)), \
             ('sequences', EXISTS (SELECT FROM pg_catalog.pg_sequence)), \
             ('inherits', EXISTS (SELECT FROM pg_catalog.pg_inherits)), \
             ('foreign', EXISTS (SELECT FROM pg_catalog.pg_foreign_table)), \
             ('index-options', EXISTS (SELECT FROM pg_catalog.pg_attribute AS a WHERE a.attrelid >= 16384 AND a.attnum > 0 \
               AND (a.attoptions IS NOT NULL OR a.attstattarget >= 0))), \
             ('triggers', EXISTS (SELECT FROM pg_catalog.pg_trigger WHERE NOT tgisinternal)), \
             ('policies', EXISTS (SELECT FROM pg_catalog.pg_policy)), \
             ('rules', EXISTS (SELECT FROM pg_catalog.pg_rewrite WHERE oid >= 16384 AND rulename <> '_RETURN')), \
             ('views', EXISTS (SELECT FROM pg_catalog.pg_rewrite WHERE oid >= 16384 AND rulename = '_RETURN')), \
             ('statistics', EXISTS (SELECT FROM pg_catalog.pg_statistic_ext)), \
             ('event-triggers', EXISTS (SELECT FROM pg_catalog.pg_event_trigger)), \
             ('extensions', EXISTS (SELECT FROM pg_catalog.pg_extension WHERE oid >= 16384)), \
             ('cast', EXISTS (SELECT FROM pg_catalog.pg_cast WHERE oid >= 16384)), \
             ('conversion', EXISTS (SELECT FROM pg_catalog.pg_conversion WHERE oid >= 16384)), \
             ('collation', EXISTS (SELECT FROM pg_catalog.pg_collation WHERE oid >= 16384)), \
             ('language', EXISTS (SELECT FROM pg_catalog.pg_language WHERE oid >= 16384)), \
             ('operator', EXISTS (SELECT FROM pg_catalog.pg_operator WHERE oid >= 16384)), \
             ('opclass', EXISTS (SELECT FROM pg_catalog.pg_opclass WHERE oid >= 16384)), \
             ('opfamily', EXISTS (SELECT FROM pg_catalog.pg_opfamily WHERE oid >= 16384)), \
             ('publication', EXISTS (SELECT FROM pg_catalog.pg_publication)), \
             ('subscription', EXISTS (SELECT subname FROM pg_catalog.pg_subscription AS s WHERE s.subdbid = d.oid)), \
             ('transform', EXISTS (SELECT FROM pg_catalog.pg_transform)), \
             ('text-search', EXISTS (SELECT FROM pg_catalog.pg_ts_config WHERE oid >= 16384) \
               OR EXISTS (SELECT FROM pg_catalog.pg_ts_dict WHERE oid >= 16384) \
               OR EXISTS (SELECT FROM pg_catalog.pg_ts_parser WHERE oid >= 16384) \
               OR EXISTS (SELECT FROM pg_catalog.pg_ts_template WHERE oid >= 16384)), \
             ('fdw', EXISTS (SELECT FROM pg_catalog.pg_foreign_data_wrapper)), \
             ('access-method', EXISTS (SELECT FROM pg_catalog.pg_am WHERE oid >= 16384)), \
             ('security-label', EXISTS (SELECT FROM pg_catalog.pg_seclabel)), \
             ('extension-dependence', EXISTS (SELECT FROM pg_catalog.pg_depend \
               WHERE refclassid = 'pg_catalog.pg_extension'::pg_catalog.regclass AND deptype = 'x')), \
             ('trigger-states', EXISTS (SELECT FROM pg_catalog.pg_trigger WHERE tgenabled <> 'O')), \
             ('constraint-comments', EXISTS (SELECT FROM pg_catalog.pg_description \
               WHERE classoid = 'pg_catalog.pg_constraint'::pg_catalog.regclass AND objoid >= 16384)), \
             ('default-acl', EXISTS (SELECT FROM pg_catalog.pg_default_acl)) \
           ) AS f (kind, there) WHERE f.there) \
         FROM pg_catalog.pg_database AS d WHERE d.datname = pg_catalog.current_database()"
    )
}

/// Small things that others refer to by number, of all namespaces: kind, number, reference, second reference, name, more, access
/// list, the access list that a new one would have, a flag.
pub(super) fn dictionary(flags: &Flags) -> String {
    // What an extension's own files say of it is no comment of anybody's.
    let comment = if flags.has("extensions") {
        "ARRAY(SELECT f.comment FROM pg_available_extensions() AS f WHERE f.name = e.extname)"
    } else {
        "NULL::text[]"
    };
    let mut sql = format!(
        "SELECT 'namespace', n.oid, n.nspowner, 0::oid, n.nspname::text, pg_get_userbyid(n.nspowner)::text, n.nspacl::text[], \
           CASE WHEN n.nspacl IS NOT NULL THEN COALESCE((SELECT p.initprivs::text[] FROM pg_init_privs AS p \
             WHERE p.classoid = 'pg_namespace'::regclass AND p.objoid = n.oid AND p.privtype = 'i'), \
             acldefault('n', n.nspowner)::text[]) END, has_schema_privilege(n.oid, 'CREATE') FROM pg_namespace AS n \
         UNION ALL SELECT 'extension', e.oid, e.extnamespace, 0, e.extname, e.extversion, {comment}, NULL, false FROM pg_extension AS e \
         UNION ALL SELECT 'opclass', o.oid, o.opcintype, o.opcnamespace, o.opcname, o.opcmethod::text, NULL, NULL, o.opcdefault \
           FROM pg_opclass AS o \
         UNION ALL SELECT 'access-method', a.oid, 0, 0, a.amname, NULL, NULL, NULL, false FROM pg_am AS a \
         UNION ALL SELECT 'tablespace', t.oid, 0, 0, t.spcname, NULL, NULL, NULL, false FROM pg_tablespace AS t \
         UNION ALL SELECT 'collation', c.oid, 0, c.collnamespace, c.collname, NULL, NULL, NULL, false FROM pg_collation AS c \
           WHERE c.oid IN (100, 950) OR c.oid IN (SELECT a.attcollation FROM pg_attribute AS a WHERE a.attcollation NOT IN (0, 100, 950)) \
             OR c.oid IN (SELECT t.typcollation FROM pg_type AS t) OR c.oid IN (SELECT r.rngcollation FROM pg_range AS r)"
    );
    if flags.has("extensions") {
        sql.push_str(
            " UNION ALL SELECT 'member', d.objid, d.classid, d.refobjid, '', NULL, NULL, NULL, false FROM pg_depend AS d \
             WHERE d.deptype = 'e' AND d.refclassid = 'pg_extension'::regclass AND d.objid >= 16384",
        );
    }
    sql
}

/// Tables, views, composites and sequences.
pub(super) fn relations(flags: &Flags, facts: bool) -> String {
    let inherits = if flags.has("inherits") {
        "ARRAY(SELECT h.inhparent FROM pg_inherits AS h WHERE h.inhrelid = c.oid ORDER BY h.inhseqno)"
    } else {
        "NULL::oid[]"
    };
    let (foreign_columns, foreign_join) = if flags.has("foreign") {
        (
            "s.srvname::text, f.ftoptions",
            "LEFT JOIN pg_foreign_table AS f ON f.ftrelid = c.oid LEFT JOIN pg_foreign_server AS s ON s.oid = f.ftserver",
        )
    } else {
        ("NULL, NULL::text[]", "")
    };
    let size = if facts { "c.reltuples::int8, pg_has_role(c.relowner, 'USAGE')" } else { "NULL::int8, true" };
    format!(
        "SELECT c.oid, c.relnamespace, c.relname::text, c.relkind, c.relpersistence, c.reltype, c.reloptions, \
           CASE WHEN c.reltoastrelid <> 0 THEN (SELECT t.reloptions FROM pg_class AS t WHERE t.oid = c.reltoastrelid) END, \
           c.reltablespace, c.relam, c.relreplident, c.relrowsecurity, c.relforcerowsecurity, c.relispopulated, c.reloftype, \
           pg_get_userbyid(c.relowner)::text, c.relacl::text[], \
           CASE WHEN c.relacl IS NOT NULL THEN acldefault((CASE c.relkind WHEN 'S' THEN 's' ELSE 'r' END)::\"char\", c.relowner)::text[] END, \
           CASE WHEN c.relkind IN ('v', 'm') THEN pg_get_viewdef(c.oid) END, \
           CASE WHEN c.relkind = 'p' THEN pg_get_partkeydef(c.oid) END, \
           CASE WHEN c.relispartition THEN pg_get_expr(c.relpartbound, c.oid) END, \
           {inherits}, {foreign_columns}, {size} \
         FROM pg_class AS c {foreign_join} \
         WHERE c.relkind IN ('r', 'p', 'f', 'v', 'm', 'c', 'S') AND c.relnamespace = ANY ($1::int8[]::oid[])"
    )
}

/// Columns of tables and views, attributes of composites.
pub(super) const COLUMNS: &str = "SELECT a.attrelid, a.attnum, a.attname::text, a.atttypid, format_type(a.atttypid, a.atttypmod), a.attnotnull, \
       a.attcollation, t.typcollation, pg_get_expr(d.adbin, d.adrelid), a.attgenerated, \
       CASE WHEN c.relispartition THEN '' ELSE a.attidentity END, \
       CASE WHEN a.attstorage <> t.typstorage THEN a.attstorage END, a.attcompression, \
       CASE WHEN a.attstattarget >= 0 THEN a.attstattarget::int4 END, a.attoptions, a.attfdwoptions, a.attacl::text[], \
       NOT a.attislocal AND NOT c.relispartition \
     FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid JOIN pg_type AS t ON t.oid = a.atttypid \
     LEFT JOIN pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum \
     WHERE c.relkind IN ('r', 'p', 'f', 'v', 'm', 'c') AND c.relnamespace = ANY ($1::int8[]::oid[]) \
       AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attrelid, a.attnum";

/// Sequences, identities' included, with the column that owns them.
pub(super) const SEQUENCES: &str = "SELECT s.seqrelid, format_type(s.seqtypid, NULL), s.seqstart, s.seqincrement, s.seqmin, s.seqmax, \
       s.seqcache, s.seqcycle, d.refobjid, d.refobjsubid, d.deptype \
     FROM pg_class AS c JOIN pg_sequence AS s ON s.seqrelid = c.oid \
     LEFT JOIN pg_depend AS d ON d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.objsubid = 0 \
       AND d.refclassid = 'pg_class'::regclass AND d.refobjsubid > 0 AND d.deptype IN ('a', 'i') \
     WHERE c.relkind = 'S' AND c.relnamespace = ANY ($1::int8[]::oid[])";

/// Constraints of tables and domains, inherited ones included: their indexes are no objects either.
pub(super) fn constraints(major: u32) -> String {
    let delete_columns = if major >= 15 { "n.confdelsetcols" } else { "NULL::int2[]" };
    let later = if major >= 18 { "n.conperiod, n.conenforced" } else { "false, true" };
    format!(
        "SELECT n.oid, n.conrelid, n.contypid, n.conname::text, n.contype, n.condeferrable, n.condeferred, n.convalidated, n.connoinherit, \
           n.conindid, n.confrelid, n.conkey, n.confkey, n.confupdtype, n.confdeltype, n.confmatchtype, {delete_columns}, {later}, \
           CASE n.contype WHEN 'c' THEN pg_get_expr(n.conbin, n.conrelid) WHEN 'x' THEN pg_get_constraintdef(n.oid) END, \
           n.conparentid <> 0 OR n.coninhcount > 0 AND NOT n.conislocal FROM pg_constraint AS n WHERE n.connamespace = ANY ($1::int8[]::oid[]) AND n.contype IN ('c', 'f', 'p', 'u', 'x', 'n')"
    )
}

/// Indexes, those behind constraints included.
pub(super) fn indexes(flags: &Flags, major: u32) -> String {
    let nulls = if major >= 15 { "i.indnullsnotdistinct" } else { "false" };
    let options = if flags.has("index-options") {
        "ARRAY(SELECT COALESCE(array_to_string(a.attoptions, ','), '') FROM pg_attribute AS a WHERE a.attrelid = x.oid ORDER BY a.attnum), \
         ARRAY(SELECT a.attnum || '=' || a.attstattarget FROM pg_attribute AS a WHERE a.attrelid = x.oid AND a.attstattarget >= 0 ORDER BY a.attnum)"
    } else {
        "NULL::text[], NULL::text[]"
    };
    format!(
        "SELECT x.oid, i.indrelid, x.relname::text, x.relam, x.relkind, x.reltablespace, x.reloptions, i.indisunique, i.indisvalid, \
           i.indisclustered, i.indisreplident, {nulls}, i.indnkeyatts::int4, i.indkey, i.indclass, i.indcollation, i.indoption, \
           CASE WHEN i.indexprs IS NOT NULL THEN ARRAY(SELECT pg_get_indexdef(x.oid, k, false) FROM generate_series(1, i.indnkeyatts::int4) AS k) END, \
           CASE WHEN i.indexprs IS NOT NULL THEN pg_get_indexdef(x.oid) END, \
           CASE WHEN i.indpred IS NOT NULL THEN pg_get_expr(i.indpred, i.indrelid) END, \
           CASE WHEN x.relispartition THEN (SELECT h.inhparent FROM pg_inherits AS h WHERE h.inhrelid = x.oid) END, {options} \
         FROM pg_class AS c JOIN pg_index AS i ON i.indrelid = c.oid JOIN pg_class AS x ON x.oid = i.indexrelid \
         WHERE c.relkind IN ('r', 'p', 'm') AND c.relnamespace = ANY ($1::int8[]::oid[])"
    )
}

/// Comments on everything that is no part of the server.
pub(super) const COMMENTS: &str = "SELECT d.classoid, d.objoid, d.objsubid, d.description FROM pg_description AS d \
     WHERE d.objoid >= 16384 OR d.classoid = 'pg_namespace'::regclass";

/// How many bytes tables take: namespace, name, bytes. The server opens each of them for that.
pub(super) const SIZES: &str = "SELECT n.nspname::text, c.relname::text, pg_catalog.pg_relation_size(c.oid) \
     FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace \
     WHERE c.relkind IN ('r', 'm') AND n.nspname = ANY ($1::text[])";
