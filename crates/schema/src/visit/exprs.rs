//! The SQL texts of a schema.

use std::fmt;

use crate::{
    Column, Constraint, ConstraintKind, Index, IndexKey, ObjectRef, PartId, QualName, Schema, SqlExpr, Table,
    TableKind, UserType, UserTypeKind, View,
};

/// Where an SQL text stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExprSite<'a> {
    /// The column, constraint, index or object that has it. A constraint without a name is its table.
    pub object: &'a ObjectRef,
    /// Which of its texts it is.
    pub slot: ExprSlot,
}

/// Which text of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ExprSlot {
    /// The default of a column, domain or view column.
    Default,
    /// The expression of a generated column.
    Generated,
    /// The hint that converts old values.
    Using,
    /// The hint that fills rows without a value.
    Backfill,
    /// The condition of a check.
    Check,
    /// What follows EXCLUDE.
    Exclude,
    /// A part of an index or key, by its place.
    Part(usize),
    /// The condition of a partial index.
    Predicate,
    /// USING of a policy.
    PolicyUsing,
    /// WITH CHECK of a policy.
    PolicyCheck,
    /// What follows USING of a virtual table.
    Module,
    /// What follows PARTITION BY.
    PartitionBy,
    /// A partition that is a part of its table, by its place.
    Partition(usize),
    /// The bound of a partition.
    Bound,
    /// System versioning or periods.
    Versioning,
    /// The query of a view.
    Query,
    /// The statement that makes a routine or trigger.
    Definition,
    /// A statement that makes an object kept as text, by its place.
    Create(usize),
    /// The statement that drops an object kept as text.
    Drop,
    /// What COMMENT ON calls an object kept as text.
    CommentTarget,
    /// The statement that gives a part of an object kept as text, by its place.
    Set(usize),
    /// The statement that takes such a part away.
    Unset(usize),
}

impl ExprSite<'_> {
    /// Whether the text is a whole query or statement rather than an expression inside one.
    #[must_use]
    pub const fn is_definition(&self) -> bool {
        matches!(self.slot, ExprSlot::Query | ExprSlot::Definition | ExprSlot::Create(_) | ExprSlot::Drop)
    }
}

impl fmt::Display for ExprSite<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} `{}`", self.slot, self.object.kind(), self.object)
    }
}

impl fmt::Display for ExprSlot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match self {
            Self::Default => "default",
            Self::Generated => "generation expression",
            Self::Using => "conversion",
            Self::Backfill => "backfill",
            Self::Check => "check",
            Self::Exclude => "exclusion",
            Self::Part(place) => return write!(f, "part {}", place + 1),
            Self::Predicate => "predicate",
            Self::PolicyUsing => "condition",
            Self::PolicyCheck => "check of new rows",
            Self::Module => "module",
            Self::PartitionBy => "partition key",
            Self::Partition(place) => return write!(f, "partition {}", place + 1),
            Self::Bound => "partition bound",
            Self::Versioning => "versioning",
            Self::Query => "query",
            Self::Definition => "definition",
            Self::Create(place) => return write!(f, "statement {}", place + 1),
            Self::Drop => "drop statement",
            Self::CommentTarget => "comment target",
            Self::Set(place) => return write!(f, "part {}", place + 1),
            Self::Unset(place) => return write!(f, "removal of part {}", place + 1),
        };
        f.write_str(word)
    }
}

fn part(table: &QualName, name: &crate::Ident) -> PartId {
    PartId { table: table.clone(), name: name.clone() }
}

/// One walk, once over shared and once over exclusive references.
macro_rules! walk {
    ($module:ident, $values:ident, $iter:ident, $($mutable:tt)?) => {
        mod $module {
            use super::*;

            type Visit<'v> = &'v mut dyn FnMut(ExprSite<'_>, &$($mutable)? SqlExpr);

            fn all<'e>(
                object: &ObjectRef,
                texts: impl IntoIterator<Item = (ExprSlot, Option<&'e $($mutable)? SqlExpr>)>,
                visit: Visit<'_>,
            ) {
                for (slot, text) in texts {
                    if let Some(text) = text {
                        visit(ExprSite { object, slot }, text);
                    }
                }
            }

            pub(super) fn schema(schema: &$($mutable)? Schema, visit: Visit<'_>) {
                for each in schema.types.$values() {
                    user_type(each, visit);
                }
                for each in schema.tables.$values() {
                    table(each, visit);
                }
                for each in schema.views.$values() {
                    view(each, visit);
                }
                for each in schema.routines.$values() {
                    let object = ObjectRef::Routine(each.id.clone());
                    all(&object, [(ExprSlot::Definition, Some(&$($mutable)? each.definition))], visit);
                }
                for each in schema.triggers.$values() {
                    let object = ObjectRef::Trigger(each.id.clone());
                    all(&object, [(ExprSlot::Definition, Some(&$($mutable)? each.definition))], visit);
                }
                for each in schema.policies.$values() {
                    let object = ObjectRef::Policy(each.id.clone());
                    let using = (&$($mutable)? each.using).into();
                    let check = (&$($mutable)? each.check).into();
                    all(&object, [(ExprSlot::PolicyUsing, using), (ExprSlot::PolicyCheck, check)], visit);
                }
                for each in schema.objects.$values() {
                    let object = ObjectRef::Opaque(each.id.clone());
                    for (place, text) in each.create.$iter().enumerate() {
                        visit(ExprSite { object: &object, slot: ExprSlot::Create(place) }, text);
                    }
                    let target = (&$($mutable)? each.comment_target).into();
                    let drop = Some(&$($mutable)? each.drop);
                    all(&object, [(ExprSlot::Drop, drop), (ExprSlot::CommentTarget, target)], visit);
                    for (place, part) in each.parts.$iter().enumerate() {
                        let set = Some(&$($mutable)? part.set);
                        let unset = Some(&$($mutable)? part.unset);
                        all(&object, [(ExprSlot::Set(place), set), (ExprSlot::Unset(place), unset)], visit);
                    }
                }
            }

            fn user_type(each: &$($mutable)? UserType, visit: Visit<'_>) {
                let object = ObjectRef::Type(each.name.clone());
                match &$($mutable)? each.kind {
                    UserTypeKind::Domain(domain) => {
                        all(&object, [(ExprSlot::Default, (&$($mutable)? domain.default).into())], visit);
                        for check in domain.checks.$iter() {
                            visit(ExprSite { object: &object, slot: ExprSlot::Check }, &$($mutable)? check.expr);
                        }
                    }
                    UserTypeKind::Enum { .. } | UserTypeKind::Composite { .. } | UserTypeKind::Range(_) => {}
                }
            }

            fn table(each: &$($mutable)? Table, visit: Visit<'_>) {
                let name = each.name.clone();
                let object = ObjectRef::Table(name.clone());
                match &$($mutable)? each.kind {
                    TableKind::Virtual { using } => visit(ExprSite { object: &object, slot: ExprSlot::Module }, using),
                    TableKind::Ordinary | TableKind::Foreign { .. } => {}
                }
                all(&object, [(ExprSlot::Versioning, (&$($mutable)? each.options.versioning).into())], visit);
                if let Some(partitioning) = &$($mutable)? each.partitioning {
                    visit(ExprSite { object: &object, slot: ExprSlot::PartitionBy }, &$($mutable)? partitioning.by);
                    for (place, text) in partitioning.partitions.$iter().enumerate() {
                        visit(ExprSite { object: &object, slot: ExprSlot::Partition(place) }, text);
                    }
                }
                if let Some(place) = &$($mutable)? each.partition_of {
                    visit(ExprSite { object: &object, slot: ExprSlot::Bound }, &$($mutable)? place.bound);
                }
                for each in each.columns.$iter() {
                    column(&name, each, visit);
                }
                for each in each.constraints.$iter() {
                    constraint(&name, each, visit);
                }
                for each in each.indexes.$iter() {
                    index(&name, each, visit);
                }
            }

            fn column(table: &QualName, each: &$($mutable)? Column, visit: Visit<'_>) {
                let object = ObjectRef::Column(part(table, &each.name));
                let generated = (&$($mutable)? each.generated).into_iter().map(|rule| &$($mutable)? rule.expr).next();
                let texts = [
                    (ExprSlot::Default, (&$($mutable)? each.default).into()),
                    (ExprSlot::Generated, generated),
                    (ExprSlot::Using, (&$($mutable)? each.using).into()),
                    (ExprSlot::Backfill, (&$($mutable)? each.backfill).into()),
                ];
                all(&object, texts, visit);
            }

            fn constraint(table: &QualName, each: &$($mutable)? Constraint, visit: Visit<'_>) {
                let object = match &each.name {
                    Some(name) => ObjectRef::Constraint(part(table, name)),
                    None => ObjectRef::Table(table.clone()),
                };
                match &$($mutable)? each.kind {
                    ConstraintKind::Check { expr, .. } => {
                        visit(ExprSite { object: &object, slot: ExprSlot::Check }, expr);
                    }
                    ConstraintKind::Exclude { definition } => {
                        visit(ExprSite { object: &object, slot: ExprSlot::Exclude }, definition);
                    }
                    ConstraintKind::PrimaryKey(key) | ConstraintKind::Unique(key) => {
                        for (place, part) in key.columns.$iter().enumerate() {
                            if let IndexKey::Expr(expr) = &$($mutable)? part.key {
                                visit(ExprSite { object: &object, slot: ExprSlot::Part(place) }, expr);
                            }
                        }
                    }
                    ConstraintKind::ForeignKey(_) => {}
                }
            }

            fn index(table: &QualName, each: &$($mutable)? Index, visit: Visit<'_>) {
                let object = ObjectRef::Index(part(table, &each.name));
                for (place, part) in each.parts.$iter().enumerate() {
                    if let IndexKey::Expr(expr) = &$($mutable)? part.key {
                        visit(ExprSite { object: &object, slot: ExprSlot::Part(place) }, expr);
                    }
                }
                all(&object, [(ExprSlot::Predicate, (&$($mutable)? each.predicate).into())], visit);
            }

            fn view(each: &$($mutable)? View, visit: Visit<'_>) {
                let name = each.name.clone();
                let object = ObjectRef::View(name.clone());
                visit(ExprSite { object: &object, slot: ExprSlot::Query }, &$($mutable)? each.query);
                for column in each.columns.$iter() {
                    let object = ObjectRef::Column(part(&name, &column.name));
                    all(&object, [(ExprSlot::Default, (&$($mutable)? column.default).into())], visit);
                }
                for each in each.indexes.$iter() {
                    index(&name, each, visit);
                }
            }
        }
    };
}

walk!(shared, values, iter,);
walk!(exclusive, values_mut, iter_mut, mut);

impl Schema {
    /// Shows every SQL text of the schema to `visit`, hints included, source texts not.
    pub fn visit_exprs(&self, visit: &mut dyn FnMut(ExprSite<'_>, &SqlExpr)) {
        shared::schema(self, visit);
    }

    /// Hands every SQL text of the schema to `visit` for change, hints included, source texts not.
    pub fn visit_exprs_mut(&mut self, visit: &mut dyn FnMut(ExprSite<'_>, &mut SqlExpr)) {
        exclusive::schema(self, visit);
    }
}
