SELECT 'namespace ' || nspname || ' acl ' || coalesce((SELECT string_agg(a::text, ',' ORDER BY a::text) FROM unnest(coalesce(nspacl, acldefault('n', nspowner))) a), '')
FROM pg_namespace n WHERE {mine} AND nspname <> 'public'
-- next
SELECT format('relation %s.%s kind %s persistence %s options %s rls %s %s replica %s am %s bound %s key %s populated %s acl %s inherits %s of %s',
  nspname, relname, relkind, relpersistence, (SELECT string_agg(o, ',' ORDER BY o) FROM unnest(reloptions) o), relrowsecurity, relforcerowsecurity,
  relreplident, (SELECT amname FROM pg_am WHERE oid = relam), pg_get_expr(relpartbound, c.oid), CASE WHEN relkind = 'p' THEN pg_get_partkeydef(c.oid) END,
  relispopulated, (SELECT string_agg(a::text, ',' ORDER BY a::text) FROM unnest(coalesce(relacl, acldefault(CASE WHEN relkind = 'S' THEN 's' ELSE 'r' END::"char", relowner))) a),
  (SELECT string_agg(inhparent::regclass::text, ',' ORDER BY inhseqno) FROM pg_inherits WHERE inhrelid = c.oid), nullif(reloftype, 0)::regtype)
FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE {mine} AND relkind IN ('r', 'p', 'v', 'm', 'f', 'S', 'c')
-- next
SELECT format('column %s.%s.%s type %s notnull %s default %s identity %s generated %s collate %s storage %s compression %s statistics %s options %s acl %s local %s inherited %s place %s',
  nspname, relname, attname, format_type(atttypid, atttypmod), attnotnull, pg_get_expr(adbin, adrelid), attidentity, attgenerated,
  CASE WHEN attcollation <> typcollation THEN attcollation::regcollation::text END, attstorage, attcompression, nullif(attstattarget, -1),
  (SELECT string_agg(o, ',' ORDER BY o) FROM unnest(attoptions) o), (SELECT string_agg(a::text, ',' ORDER BY a::text) FROM unnest(attacl) a), attislocal, attinhcount,
  CASE WHEN relkind IN ('v', 'm', 'c') THEN rank() OVER (PARTITION BY c.oid ORDER BY attnum) END)
FROM pg_attribute a JOIN pg_class c ON c.oid = attrelid JOIN pg_namespace n ON n.oid = relnamespace JOIN pg_type t ON t.oid = atttypid
LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
WHERE {mine} AND relkind IN ('r', 'p', 'v', 'm', 'f', 'c') AND attnum > 0 AND NOT attisdropped
-- next
SELECT format('constraint %s.%s name %s is %s valid %s local %s inherited %s', coalesce(nullif(conrelid, 0)::regclass::text, contypid::regtype::text), contype,
  CASE WHEN contype = 'n' THEN (SELECT attname FROM pg_attribute WHERE attrelid = conrelid AND attnum = conkey[1]) ELSE conname END,
  pg_get_constraintdef(k.oid), convalidated, conislocal AND NOT (contype = 'n' AND coninhcount > 0 AND EXISTS (SELECT FROM pg_class p WHERE p.oid = conrelid AND p.relispartition)), coninhcount)
FROM pg_constraint k JOIN pg_namespace n ON n.oid = connamespace WHERE {mine} AND contype <> 't' AND (conparentid = 0 OR contype <> 'f')
-- next
SELECT format('index %s.%s %s clustered %s replica %s valid %s parent %s statistics %s', nspname, relname, pg_get_indexdef(indexrelid), indisclustered, indisreplident, indisvalid,
  (SELECT inhparent::regclass FROM pg_inherits WHERE inhrelid = indexrelid), (SELECT string_agg(attname || attstattarget, ',' ORDER BY attnum) FROM pg_attribute WHERE attrelid = indexrelid AND attstattarget > 0))
FROM pg_index i JOIN pg_class c ON c.oid = indexrelid JOIN pg_namespace n ON n.oid = relnamespace WHERE {mine}
-- next
SELECT format('view %s.%s %s', nspname, relname, pg_get_viewdef(c.oid)) FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE {mine} AND relkind IN ('v', 'm')
-- next
SELECT format('sequence %s.%s type %s start %s min %s max %s by %s cache %s cycle %s owner %s', nspname, relname, seqtypid::regtype, seqstart, seqmin, seqmax, seqincrement, seqcache, seqcycle,
  (SELECT deptype::text || ' ' || refobjid::regclass || '.' || attname FROM pg_depend JOIN pg_attribute ON attrelid = refobjid AND attnum = refobjsubid
   WHERE classid = 'pg_class'::regclass AND objid = c.oid AND refclassid = 'pg_class'::regclass AND deptype IN ('a', 'i')))
FROM pg_sequence JOIN pg_class c ON c.oid = seqrelid JOIN pg_namespace n ON n.oid = relnamespace WHERE {mine}
-- next
SELECT format('type %s kind %s labels %s base %s notnull %s default %s collate %s range %s acl %s', t.oid::regtype, typtype, (SELECT string_agg(quote_literal(enumlabel), ',' ORDER BY enumsortorder) FROM pg_enum WHERE enumtypid = t.oid),
  CASE WHEN typtype = 'd' THEN format_type(typbasetype, typtypmod) END, typnotnull, typdefault, CASE WHEN typtype = 'd' THEN nullif(typcollation, 0)::regcollation END,
  (SELECT format('%s %s %s %s %s %s', rngsubtype::regtype, (SELECT opcname FROM pg_opclass WHERE oid = rngsubopc), nullif(rngcollation, 0)::regcollation, nullif(rngcanonical, 0)::regproc, nullif(rngsubdiff, 0)::regproc, rngmultitypid::regtype)
   FROM pg_range WHERE rngtypid = t.oid), (SELECT string_agg(a::text, ',' ORDER BY a::text) FROM unnest(coalesce(typacl, acldefault('T', typowner))) a))
FROM pg_type t JOIN pg_namespace n ON n.oid = typnamespace WHERE {mine} AND typtype IN ('e', 'd', 'r', 'c') AND (typrelid = 0 OR (SELECT relkind FROM pg_class WHERE oid = typrelid) = 'c')
-- next
SELECT format('routine %s %s acl %s', p.oid::regprocedure, CASE WHEN prokind = 'a' THEN (SELECT format('%s %s %s %s %s %s %s', aggtransfn, aggtranstype::regtype, agginitval, aggfinalfn, aggcombinefn, aggsortop, proparallel) FROM pg_aggregate WHERE aggfnoid = p.oid) ELSE pg_get_functiondef(p.oid) END,
  (SELECT string_agg(a::text, ',' ORDER BY a::text) FROM unnest(coalesce(proacl, acldefault('f', proowner))) a))
FROM pg_proc p JOIN pg_namespace n ON n.oid = pronamespace WHERE {mine} AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_proc'::regclass AND objid = p.oid AND deptype IN ('e', 'i'))
-- next
SELECT format('trigger %s %s', pg_get_triggerdef(t.oid), tgenabled) FROM pg_trigger t JOIN pg_class c ON c.oid = tgrelid JOIN pg_namespace n ON n.oid = relnamespace WHERE {mine} AND NOT tgisinternal
-- next
SELECT format('rule %s %s', pg_get_ruledef(r.oid), ev_enabled) FROM pg_rewrite r JOIN pg_class c ON c.oid = ev_class JOIN pg_namespace n ON n.oid = relnamespace WHERE {mine} AND rulename <> '_RETURN'
-- next
SELECT format('policy %s on %s.%s permissive %s roles %s for %s using %s check %s', policyname, schemaname, tablename, permissive, roles, cmd, qual, with_check) FROM pg_policies JOIN pg_namespace n ON nspname = schemaname WHERE {mine}
-- next
SELECT format('statistics %s.%s on %s: %s, kinds %s, expressions %s', nspname, stxname, stxrelid::regclass,
  (SELECT string_agg(attname, ', ' ORDER BY attname) FROM pg_attribute WHERE attrelid = stxrelid AND attnum = ANY (stxkeys::int2[])), stxkind, pg_get_statisticsobjdef_expressions(s.oid))
FROM pg_statistic_ext s JOIN pg_namespace n ON n.oid = stxnamespace WHERE {mine}
-- next
SELECT format('event trigger %s on %s tags %s runs %s %s', evtname, evtevent, evttags, evtfoid::regproc, evtenabled) FROM pg_event_trigger
-- next
SELECT format('default privileges %s for %s acl %s', (SELECT nspname FROM pg_namespace WHERE oid = defaclnamespace), defaclobjtype, (SELECT string_agg(a::text, ',' ORDER BY a::text) FROM unnest(defaclacl) a)) FROM pg_default_acl
-- next
SELECT format('extension %s in %s', extname, nspname) FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace
-- next
SELECT format('publication %s all %s %s %s %s %s root %s tables %s', pubname, puballtables, pubinsert, pubupdate, pubdelete, pubtruncate, pubviaroot, (SELECT string_agg(prrelid::regclass::text, ',' ORDER BY prrelid::regclass::text) FROM pg_publication_rel WHERE prpubid = p.oid)) FROM pg_publication p
-- next
SELECT format('collation %s.%s provider %s deterministic %s locale %s', nspname, collname, collprovider, collisdeterministic, collcollate) FROM pg_collation JOIN pg_namespace n ON n.oid = collnamespace WHERE {mine}
-- next
SELECT format('cast %s to %s with %s %s', castsource::regtype, casttarget::regtype, castfunc::regprocedure, castcontext) FROM pg_cast WHERE oid >= 16384
-- next
SELECT format('operator %s with %s', o.oid::regoperator, oprcode) FROM pg_operator o JOIN pg_namespace n ON n.oid = oprnamespace WHERE {mine}
-- next
SELECT format('comment on %s: %s', CASE WHEN classoid = 'pg_rewrite'::regclass THEN 'rule' ELSE pg_describe_object(classoid, objoid, objsubid) END, description) FROM pg_description
WHERE objoid >= 16384 AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = classoid AND d.objid = objoid AND deptype IN ('e'))
