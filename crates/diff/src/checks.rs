//! Questions to the rows, in names before the plan.

use trueup_dialect::{Dialect, Indexable};
use trueup_plan::{CheckRule, DataCheck, Hints, LiveFacts};
use trueup_schema::{
    Column, Constraint, ConstraintKind, DataType, ForeignKey, Ident, Index, IndexKey, IndexPart, Key, PartId, QualName,
    Schema, SqlExpr, Table, TableOptions,
};

use crate::inherit::parents;
use crate::project::{Renames, replace_name};

/// What a question is asked about: the table as it is, under its name after the renames.
pub(crate) struct Asked<'a> {
    pub(crate) dialect: &'a dyn Dialect,
    pub(crate) renames: &'a Renames,
    pub(crate) before: &'a Schema,
    pub(crate) after: &'a Schema,
    pub(crate) table: &'a Table,
    /// What people say of values.
    hints: &'a Hints,
}

/// What a row of today will hold in a column.
enum Holds {
    /// What the column of this name holds.
    Column(Ident),
    /// NULL.
    Null,
    /// Always this value.
    Constant(SqlExpr),
    /// What this gives, over declared names.
    Computed(SqlExpr),
    /// A value that is not known yet.
    Unknown,
}

/// Whether a default is NULL, which gives no value.
pub(crate) fn is_null(default: &SqlExpr) -> bool {
    default.as_str().eq_ignore_ascii_case("null")
}

impl<'a> Asked<'a> {
    /// The table that is asked; `None` where there is nothing to ask: it is new, or known to hold no row.
    pub(crate) fn of(
        dialect: &'a dyn Dialect,
        facts: &'a LiveFacts,
        (renames, hints): (&'a Renames, &'a Hints),
        (before, after): (&'a Schema, &'a Schema),
        table: &QualName,
    ) -> Option<Self> {
        let live = before.tables.get(table)?;
        (!facts.is_empty(&renames.table(table))).then_some(Self { dialect, renames, before, after, table: live, hints })
    }

    fn ask(&self, rule: CheckRule) -> DataCheck {
        let key = self.table.primary_key().map_or_else(Vec::new, |key| {
            key.columns.iter().filter_map(|part| part.column_name().map(|name| self.old(name))).collect()
        });
        DataCheck { table: self.renames.table(&self.table.name), key, rule }
    }

    fn old(&self, column: &Ident) -> Ident {
        self.renames.column(&self.table.name, column)
    }

    fn holds(&self, column: &Ident) -> Holds {
        let declared = self.after.tables.get(&self.table.name).and_then(|table| table.column(column));
        if !declared.map_or(self.table.column(column).is_none(), |declared| self.is_filled_anew(declared)) {
            return Holds::Column(self.old(column));
        }
        let Some(declared) = declared else { return Holds::Unknown };
        if self.is_emptied(declared) {
            return Holds::Null;
        }
        if let Some(generated) = &declared.generated {
            return if self.dialect.capabilities().stores_as_computed {
                Holds::Computed(generated.expr.clone())
            } else {
                Holds::Unknown
            };
        }
        if declared.identity.is_some() || declared.auto_increment {
            return Holds::Unknown;
        }
        match &declared.default {
            None => Holds::Null,
            Some(default) => match self.dialect.canonical_expr(default, Some(&declared.data_type)) {
                Some(constant) if is_null(&constant) => Holds::Null,
                Some(constant) => Holds::Constant(constant),
                None => Holds::Unknown,
            },
        }
    }

    /// Whether the plan brings the values of a column: it is new, or computed from now on, or otherwise than today.
    fn is_filled_anew(&self, declared: &Column) -> bool {
        self.table
            .column(&declared.name)
            .is_none_or(|live| declared.generated.is_some() && live.generated != declared.generated)
            || self.is_passed_on(&declared.name)
            || self.is_emptied(declared)
    }

    /// Whether a hint gives the values up, on the way to another type.
    pub(crate) fn is_emptied(&self, declared: &Column) -> bool {
        let id = PartId { table: self.table.name.clone(), name: declared.name.clone() };
        self.hints.using.get(&id).is_some_and(is_null)
            && self.table.column(&declared.name).is_some_and(|live| !live.has_type_of(declared))
    }

    /// An expression over declared names as one over the names of today. `None` where it reads what rows do not hold yet.
    fn expr(&self, expr: &SqlExpr) -> Option<SqlExpr> {
        let declared = self.after.tables.get(&self.table.name);
        let mut text = expr.as_str().to_owned();
        let columns = declared.into_iter().flat_map(|table| &table.columns);
        let mut added: Vec<_> = columns.filter(|column| self.is_filled_anew(column)).collect();
        // Each is put in once: what computes them names no circle.
        while let Some(at) = added.iter().position(|column| self.mentions(&text, &column.name)) {
            let column = added.remove(at);
            let value = match self.holds(&column.name) {
                Holds::Null => "NULL".to_owned(),
                Holds::Constant(value) | Holds::Computed(value) => format!("({value})"),
                Holds::Column(_) | Holds::Unknown => return None,
            };
            text = self.put(&text, &column.name, &value);
        }
        Some(SqlExpr::new(self.to_old_names(&text)))
    }

    /// Renamed columns by their old names, all at once, so that a swap stays one.
    fn to_old_names(&self, text: &str) -> String {
        let mut text = text.to_owned();
        let marked = |at: usize| Ident::new(format!("\u{1}{at}")).ok();
        let renamed: Vec<_> = self.renames.columns_of(&self.table.name).collect();
        let id = self.dialect.id();
        for (at, (new, _)) in renamed.iter().enumerate() {
            if let Some(mark) = marked(at) {
                text = replace_name(self.dialect, id, &text, new, &mark);
            }
        }
        for (at, (_, old)) in renamed.iter().enumerate() {
            if let Some(mark) = marked(at) {
                text = text.replace(&mark.quoted(id), &old.quoted(id));
            }
        }
        let table = self.renames.table(&self.table.name);
        if table.name == self.table.name.name {
            text
        } else {
            replace_name(self.dialect, id, &text, &self.table.name.name, &table.name)
        }
    }

    fn mentions(&self, text: &str, column: &Ident) -> bool {
        let fold = |name: String| Ident::new(name).map(|name| self.dialect.fold(&name)).ok();
        let wanted = Some(self.dialect.fold(column));
        self.dialect.tokens(text).iter().any(|token| token.name().is_some_and(|name| fold(name) == wanted))
    }

    fn put(&self, text: &str, column: &Ident, value: &str) -> String {
        let Ok(mark) = Ident::new("\u{1}value") else { return text.to_owned() };
        let id = self.dialect.id();
        replace_name(self.dialect, id, text, column, &mark).replace(&mark.quoted(id), value)
    }

    /// What the rows must satisfy for the constraints and unique indexes over `column` that stay as they are, when its values do not.
    pub(crate) fn kept_rules(&self, column: &Ident) -> Vec<DataCheck> {
        let Some(declared) = self.after.tables.get(&self.table.name) else { return Vec::new() };
        let over = |key: &Key| key.columns.iter().any(|part| part.column_name() == Some(column));
        let concerned = |it: &&Constraint| match &it.kind {
            ConstraintKind::PrimaryKey(key) | ConstraintKind::Unique(key) => over(key),
            ConstraintKind::Check { expr, .. } => self.mentions(expr.as_str(), column),
            ConstraintKind::ForeignKey(key) => key.columns.contains(column),
            ConstraintKind::Exclude { .. } => false,
        };
        let kept = declared.constraints.iter().filter(|it| self.table.constraints.contains(it));
        let mut asked: Vec<_> = kept.filter(concerned).flat_map(|it| self.constraint(it)).collect();
        let indexes = declared.indexes.iter().filter(|it| it.unique && self.table.indexes.contains(it));
        let over = |index: &&Index| index.parts.iter().any(|part| part.column_name() == Some(column));
        asked.extend(indexes.filter(over).filter_map(|index| self.unique_index(index)));
        asked
    }

    /// No NULL in a column.
    pub(crate) fn not_null(&self, column: &Ident) -> Option<DataCheck> {
        match self.holds(column) {
            Holds::Computed(value) => self.computes(&value),
            Holds::Null => (!self.is_backfilled(column)).then(|| self.empty()),
            Holds::Column(_) => {
                let live = self.table.column(column)?;
                (!live.not_null).then(|| self.ask(CheckRule::NotNull { column: self.old(column) }))
            }
            Holds::Constant(_) | Holds::Unknown => None,
        }
    }

    /// Whether a hint gives rows a value in a table that this one has its columns from.
    fn is_backfilled(&self, column: &Ident) -> bool {
        let id = |table: &QualName| PartId { table: table.clone(), name: column.clone() };
        parents(self.table).any(|table| self.hints.backfills.contains_key(&id(table)))
    }

    /// Whether the column comes with a change of the partitioned table: a partition has no column that this lacks.
    fn is_passed_on(&self, column: &Ident) -> bool {
        let parent = self.table.partition_of.as_ref().and_then(|place| self.before.tables.get(&place.parent));
        parent.is_some_and(|parent| parent.column(column).is_none())
    }

    /// No row at all.
    pub(crate) fn empty(&self) -> DataCheck {
        self.ask(CheckRule::Empty)
    }

    /// Every value converts.
    pub(crate) fn converts(
        &self,
        before: &Column,
        to: &DataType,
        using: Option<&SqlExpr>,
        options: &TableOptions,
    ) -> DataCheck {
        self.ask(CheckRule::Converts {
            column: self.old(&before.name),
            from: before.data_type.clone(),
            to: to.clone(),
            using: using.map(|using| SqlExpr::new(self.to_old_names(using.as_str()))),
            options: options.clone(),
        })
    }

    /// None of the labels is stored.
    pub(crate) fn unused(&self, column: &Ident, values: Vec<String>) -> DataCheck {
        self.ask(CheckRule::ValuesUnused { column: self.old(column), values })
    }

    /// The expression gives every row a value.
    pub(crate) fn computes(&self, expr: &SqlExpr) -> Option<DataCheck> {
        let expr = self.expr(&SqlExpr::new(format!("({expr}) IS NOT NULL")))?;
        Some(self.ask(CheckRule::Holds { expr }))
    }

    /// The condition is true or NULL for every row.
    pub(crate) fn satisfies(&self, condition: &SqlExpr) -> Option<DataCheck> {
        let expr = self.expr(condition)?;
        Some(self.ask(CheckRule::Holds { expr }))
    }

    /// A condition on a domain's VALUE holds for a column.
    pub(crate) fn domain_holds(&self, column: &Ident, expr: &SqlExpr) -> Option<DataCheck> {
        let value = Ident::new("VALUE").ok()?;
        let name = self.old(column).quoted(self.dialect.id());
        Some(self.ask(CheckRule::Holds { expr: SqlExpr::new(self.put(expr.as_str(), &value, &name)) }))
    }

    /// What the rows must satisfy for the constraint.
    pub(crate) fn constraint(&self, constraint: &Constraint) -> Vec<DataCheck> {
        if !constraint.validated || !constraint.enforced {
            return Vec::new();
        }
        match &constraint.kind {
            ConstraintKind::PrimaryKey(key) => self.unique_key(key, true).into_iter().collect(),
            ConstraintKind::Unique(key) => self.unique_key(key, false).into_iter().collect(),
            ConstraintKind::Check { expr, .. } => {
                self.expr(expr).map(|expr| self.ask(CheckRule::Holds { expr })).into_iter().collect()
            }
            ConstraintKind::ForeignKey(key) => self.references(key).into_iter().collect(),
            ConstraintKind::Exclude { .. } => Vec::new(),
        }
    }

    fn unique_key(&self, key: &Key, refuses_nulls: bool) -> Option<DataCheck> {
        // Ranges that must not overlap are no equality.
        if key.without_overlaps {
            return None;
        }
        self.unique(&key.columns, key.nulls_not_distinct, refuses_nulls, None)
    }

    /// What the rows must satisfy for a unique index.
    pub(crate) fn unique_index(&self, index: &Index) -> Option<DataCheck> {
        self.unique(&index.parts, index.nulls_not_distinct, false, index.predicate.as_ref())
    }

    /// What the rows must satisfy for an index, unique or not.
    pub(crate) fn index(&self, index: &Index) -> Vec<DataCheck> {
        let mut asked = Vec::new();
        let mut is_plain = true;
        for part in &index.parts {
            let IndexKey::Expr(expr) = &part.key else { continue };
            match self.dialect.indexable(expr) {
                Indexable::Always => continue,
                Indexable::If(condition) => {
                    let both = self.expr(expr).zip(self.expr(&condition));
                    asked.extend(both.map(|(expr, condition)| self.ask(CheckRule::Indexable { expr, condition })));
                }
                Indexable::Unknown => asked.push(self.empty()),
            }
            is_plain = false;
        }
        match (index.unique, is_plain) {
            (true, true) => asked.extend(self.unique_index(index)),
            // What is alike is not to be asked for.
            (true, false) => asked = vec![self.empty()],
            (false, _) => {}
        }
        asked
    }

    fn unique(
        &self,
        parts: &[IndexPart],
        nulls_not_distinct: bool,
        refuses_nulls: bool,
        predicate: Option<&SqlExpr>,
    ) -> Option<DataCheck> {
        let mut asked = Vec::new();
        for part in parts {
            let key = match &part.key {
                IndexKey::Column(name) => match self.holds(name) {
                    Holds::Column(old) => IndexKey::Column(old),
                    Holds::Null if !refuses_nulls && !nulls_not_distinct => return None,
                    Holds::Null if refuses_nulls => return Some(self.empty()),
                    Holds::Null | Holds::Constant(_) => continue,
                    Holds::Computed(value) => IndexKey::Expr(self.expr(&value)?),
                    Holds::Unknown => return None,
                },
                IndexKey::Expr(expr) => IndexKey::Expr(self.expr(expr)?),
            };
            asked.push(IndexPart { key, ..part.clone() });
        }
        let predicate = match predicate {
            Some(predicate) => Some(self.expr(predicate)?),
            None => None,
        };
        // All rows are alike in every part: one is enough, two are one too many. No constant: an engine may take that for a position.
        if asked.is_empty() {
            let key = IndexKey::Expr(SqlExpr::new("CASE WHEN 1 = 1 THEN 1 END"));
            asked.extend(parts.first().map(|part| IndexPart { key, collation: None, prefix: None, ..part.clone() }));
        }
        Some(self.ask(CheckRule::Unique { parts: asked, nulls_not_distinct, refuses_nulls, predicate }))
    }

    fn gets_default(&self, column: &Ident) -> bool {
        let declared = self.after.tables.get(&self.table.name).and_then(|table| table.column(column));
        declared.is_some_and(|column| column.generated.is_none() && column.default.is_some())
    }

    fn references(&self, key: &ForeignKey) -> Option<DataCheck> {
        if let [column] = key.columns.as_slice() {
            match self.holds(column) {
                Holds::Constant(value) => return self.references_value(key, &value),
                Holds::Computed(value) => return self.references_value(key, &self.expr(&value)?),
                Holds::Column(_) | Holds::Null | Holds::Unknown => {}
            }
        }
        let mut columns = Vec::new();
        for column in &key.columns {
            match self.holds(column) {
                Holds::Column(old) => columns.push(old),
                Holds::Null if key.match_type.is_none() => return None,
                // whatever it is, a table that this plan makes has no row to reference
                Holds::Unknown if self.gets_default(column) && !self.before.tables.contains_key(&key.references) => {
                    return Some(self.empty());
                }
                Holds::Null | Holds::Constant(_) | Holds::Computed(_) | Holds::Unknown => return None,
            }
        }
        let Some(target) = self.before.tables.get(&key.references) else {
            return self.after.tables.contains_key(&key.references).then(|| self.all_null(&columns));
        };
        let referenced = if key.referenced_columns.is_empty() {
            let key = target.primary_key()?;
            key.columns.iter().map(|part| part.column_name().cloned()).collect::<Option<Vec<_>>>()?
        } else {
            key.referenced_columns.clone()
        };
        if key.period {
            return None;
        }
        if referenced.iter().any(|column| target.column(column).is_none()) {
            let of_target = Self { table: target, ..*self };
            let is_null = |column| matches!(of_target.holds(column), Holds::Null);
            return referenced.iter().any(is_null).then(|| self.all_null(&columns));
        }
        let referenced_columns = referenced.iter().map(|name| self.renames.column(&target.name, name)).collect();
        Some(self.ask(CheckRule::References {
            columns,
            references: self.renames.table(&key.references),
            referenced_columns,
            match_full: key.match_type.as_deref() == Some("FULL"),
        }))
    }

    /// What every row gets is NULL or there to be referenced.
    fn references_value(&self, key: &ForeignKey, value: &SqlExpr) -> Option<DataCheck> {
        let id = self.dialect.id();
        let Some(target) = self.before.tables.get(&key.references) else {
            let is_made = self.after.tables.contains_key(&key.references);
            return is_made.then(|| self.ask(CheckRule::Holds { expr: SqlExpr::new(format!("({value}) IS NULL")) }));
        };
        let referenced = match key.referenced_columns.as_slice() {
            [] => target.primary_key()?.columns.first()?.column_name()?.clone(),
            [column] => column.clone(),
            _ => return None,
        };
        let table = self.renames.table(&target.name).quoted(id);
        let held = match (Self { table: target, ..*self }).holds(&referenced) {
            Holds::Column(old) => old.quoted(id),
            Holds::Null => "NULL".to_owned(),
            Holds::Constant(held) => format!("({held})"),
            Holds::Computed(_) | Holds::Unknown => return None,
        };
        // The value stands outside of the query, so that its columns are those of the row.
        let expr = format!("({value}) IS NULL OR ({value}) IN (SELECT {held} FROM {table} WHERE {held} IS NOT NULL)");
        Some(self.ask(CheckRule::Holds { expr: SqlExpr::new(expr) }))
    }

    /// What is referenced is made by this plan and holds no value.
    fn all_null(&self, columns: &[Ident]) -> DataCheck {
        let id = self.dialect.id();
        let conditions: Vec<_> = columns.iter().map(|column| format!("{} IS NULL", column.quoted(id))).collect();
        self.ask(CheckRule::Holds { expr: SqlExpr::new(conditions.join(" OR ")) })
    }
}
