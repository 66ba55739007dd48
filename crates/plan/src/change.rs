//! What differs between two schemas, one typed value each.

use serde::{Deserialize, Serialize};
use trueup_schema::{
    Column, Constraint, DataType, Extension, Grant, Ident, Index, Namespace, ObjectRef, Opaque, PartId, PartitionOf,
    Policy, QualName, Routine, RoutineKind, RowSecurity, Sequence, SqlExpr, Table, Trigger, UserType, View,
};

/// One change to one object, with everything a renderer needs: full objects, never names into somebody's memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(clippy::large_enum_variant, reason = "a plan holds few changes, and most are of this size")]
pub enum Change {
    /// Make a standalone object. A table comes with the columns, constraints and indexes that were folded into it.
    Create {
        /// The object.
        object: Object,
    },
    /// Remove a standalone object.
    Drop {
        /// The object as it is.
        object: Object,
    },
    /// Give an object, column, constraint or index another name or namespace.
    Rename {
        /// What it is called now.
        from: ObjectRef,
        /// What it will be called.
        to: ObjectRef,
        /// What sort of object it is, where the reference alone does not say.
        flavor: Flavor,
    },
    /// Take an object under management without touching it. Renders to nothing.
    Adopt {
        /// The object.
        object: ObjectRef,
    },

    /// Change options of a namespace.
    AlterNamespace {
        /// As it is.
        before: Namespace,
        /// As it will be.
        after: Namespace,
    },
    /// Bring an extension to another version.
    AlterExtension {
        /// As it is.
        before: Extension,
        /// As it will be.
        after: Extension,
    },
    /// Add one label to an enum.
    AddEnumValue {
        /// The enum.
        name: QualName,
        /// The new label.
        value: String,
        /// Where it goes.
        position: EnumPosition,
    },
    /// Replace an enum by one with labels removed or reordered, and convert every column that uses it.
    RebuildEnum {
        /// As it is.
        before: UserType,
        /// As it will be.
        after: UserType,
        /// The columns to convert, as they will be.
        columns: Vec<TableColumn>,
    },
    /// Change one property of a domain.
    AlterDomain {
        /// The domain.
        name: QualName,
        /// The property.
        change: DomainChange,
    },
    /// Change one attribute of a composite type.
    AlterComposite {
        /// The type.
        name: QualName,
        /// The attribute.
        change: AttributeChange,
    },
    /// Change options of a sequence, never its position.
    AlterSequence {
        /// As it is.
        before: Sequence,
        /// As it will be.
        after: Sequence,
    },
    /// Tie a sequence to a column, or untie it.
    SetSequenceOwner {
        /// The sequence.
        name: QualName,
        /// The column that owns it.
        before: Option<PartId>,
        /// The column that will own it.
        after: Option<PartId>,
        /// Whether it goes on counting where what the column counted by before it stopped.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        resumes: bool,
    },

    /// Change options of a table as a whole: storage parameters, logging, engine, STRICT, inheritance…
    AlterTable {
        /// As it is. Columns, constraints and indexes here are for renderers that restate the whole table.
        before: Table,
        /// As it will be.
        after: Table,
    },
    /// Make a table a partition of another.
    AttachPartition {
        /// The table.
        table: QualName,
        /// Parent and bound.
        partition_of: PartitionOf,
    },
    /// Make a partition a table of its own.
    DetachPartition {
        /// The table.
        table: QualName,
        /// Parent and bound.
        partition_of: PartitionOf,
    },
    /// Switch row security.
    SetRowSecurity {
        /// The table.
        table: QualName,
        /// As it is.
        before: RowSecurity,
        /// As it will be.
        after: RowSecurity,
    },

    /// Add a column.
    AddColumn {
        /// The table.
        table: QualName,
        /// The column.
        column: Column,
        /// Where it goes, on engines where that matters.
        position: ColumnPosition,
    },
    /// Drop a column.
    DropColumn {
        /// The table.
        table: QualName,
        /// The column as it is.
        column: Column,
    },
    /// Change a column's type or collation.
    AlterColumnType {
        /// The table.
        table: QualName,
        /// As it is.
        before: Column,
        /// As it will be.
        after: Column,
        /// How old values become new ones, where the engine's own cast is not it.
        using: Option<SqlExpr>,
    },
    /// Set, change or drop a column's default.
    SetDefault {
        /// The table.
        table: QualName,
        /// As it is.
        before: Column,
        /// As it will be.
        after: Column,
    },
    /// Make a column refuse NULL.
    SetNotNull {
        /// The table.
        table: QualName,
        /// As it is.
        before: Column,
        /// As it will be.
        after: Column,
    },
    /// Make a column take NULL.
    DropNotNull {
        /// The table.
        table: QualName,
        /// As it is.
        before: Column,
        /// As it will be.
        after: Column,
    },
    /// Add, change or drop a column's identity, or its AUTO_INCREMENT.
    SetIdentity {
        /// The table.
        table: QualName,
        /// As it is.
        before: Column,
        /// As it will be.
        after: Column,
    },
    /// Change how a column is generated, in place: the engine keeps the column (DROP EXPRESSION, SET EXPRESSION, a MODIFY).
    SetGenerated {
        /// The table.
        table: QualName,
        /// As it is.
        before: Column,
        /// As it will be.
        after: Column,
    },
    /// Change what else the engine keeps for a column: storage, compression, statistics target, visibility, charset…
    SetColumnAttributes {
        /// The table.
        table: QualName,
        /// As it is.
        before: Column,
        /// As it will be.
        after: Column,
    },
    /// Move a column, on engines where order counts.
    MoveColumn {
        /// The table.
        table: QualName,
        /// The column as it will be.
        column: Column,
        /// Where it goes.
        position: ColumnPosition,
    },
    /// Fill a column's NULLs.
    Backfill {
        /// The table.
        table: QualName,
        /// The column as it will be.
        column: Column,
        /// The value.
        value: SqlExpr,
    },

    /// Add a constraint.
    AddConstraint {
        /// The table.
        table: QualName,
        /// The constraint.
        constraint: Constraint,
    },
    /// Drop a constraint.
    DropConstraint {
        /// The table.
        table: QualName,
        /// The constraint as it is.
        constraint: Constraint,
    },
    /// Check the rows that a NOT VALID constraint has not seen.
    ValidateConstraint {
        /// The table.
        table: QualName,
        /// The constraint as it will be.
        constraint: Constraint,
    },
    /// Change when a constraint is checked, whether it is enforced, or how it is spelled out, in place.
    AlterConstraint {
        /// The table.
        table: QualName,
        /// As it is.
        before: Constraint,
        /// As it will be.
        after: Constraint,
    },
    /// Change parameters of an index in place.
    AlterIndex {
        /// The table or materialized view.
        table: QualName,
        /// As it is.
        before: Index,
        /// As it will be.
        after: Index,
    },

    /// Put another query into a view without dropping it.
    ReplaceView {
        /// As it is.
        before: View,
        /// As it will be.
        after: View,
    },
    /// Change options of a view in place.
    AlterView {
        /// As it is.
        before: View,
        /// As it will be.
        after: View,
    },
    /// Put another body into a routine without dropping it.
    ReplaceRoutine {
        /// As it is.
        before: Routine,
        /// As it will be.
        after: Routine,
    },
    /// Enable or disable a trigger.
    SetTriggerEnabled {
        /// As it is.
        before: Trigger,
        /// As it will be.
        after: Trigger,
    },
    /// Change a policy in place.
    AlterPolicy {
        /// As it is.
        before: Policy,
        /// As it will be.
        after: Policy,
    },

    /// Change parts of an object kept as text, and leave the object.
    AlterOpaque {
        /// As it is.
        before: Opaque,
        /// As it will be.
        after: Opaque,
    },

    /// Set, change or drop a comment.
    SetComment {
        /// On what.
        on: ObjectRef,
        /// What sort of object it is, where the reference alone does not say.
        flavor: Flavor,
        /// As it is.
        before: Option<String>,
        /// As it will be.
        after: Option<String>,
    },
    /// Change privileges.
    SetGrants {
        /// On what.
        on: ObjectRef,
        /// What sort of object it is, where the reference alone does not say.
        flavor: Flavor,
        /// As they are; `None` is what the engine grants by itself.
        before: Option<Vec<Grant>>,
        /// As they will be.
        after: Option<Vec<Grant>>,
        /// The object's owner, whose own privileges are part of the list.
        owner: Option<Ident>,
    },
    /// Give an object to another role.
    SetOwner {
        /// What.
        on: ObjectRef,
        /// What sort of object it is, where the reference alone does not say.
        flavor: Flavor,
        /// As it is.
        before: Option<Ident>,
        /// As it will be.
        after: Ident,
    },
}

/// A standalone object with its full definition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Object {
    /// A namespace.
    Namespace(Namespace),
    /// An extension.
    Extension(Extension),
    /// A named type.
    Type(UserType),
    /// A sequence.
    Sequence(Sequence),
    /// A table.
    Table(Table),
    /// A view or materialized view.
    View(View),
    /// An index of a table or materialized view.
    Index(TableIndex),
    /// A routine.
    Routine(Routine),
    /// A trigger.
    Trigger(Trigger),
    /// A policy.
    Policy(Policy),
    /// An object kept as text.
    Opaque(Opaque),
}

/// An index with its table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableIndex {
    /// The table or materialized view.
    pub table: QualName,
    /// The index.
    pub index: Index,
}

/// A column with its table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableColumn {
    /// The table.
    pub table: QualName,
    /// The column.
    pub column: Column,
}

/// What sort of object a reference names, where SQL needs another word for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Flavor {
    /// The usual one: table, view, function, type.
    #[default]
    Plain,
    /// A materialized view, or a column or index of one.
    Materialized,
    /// A view, where the reference is to one of its columns.
    View,
    /// A procedure.
    Procedure,
    /// An aggregate.
    Aggregate,
    /// A domain, or a constraint of one.
    Domain,
    /// A foreign table.
    Foreign,
    /// An attribute of a composite type.
    Composite,
}

impl From<RoutineKind> for Flavor {
    fn from(kind: RoutineKind) -> Self {
        match kind {
            RoutineKind::Function => Self::Plain,
            RoutineKind::Procedure => Self::Procedure,
            RoutineKind::Aggregate => Self::Aggregate,
        }
    }
}

/// Where a label goes in an enum.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EnumPosition {
    /// Behind all others.
    Last,
    /// Before this label.
    Before(String),
    /// Behind this label.
    After(String),
}

/// Where a column goes in its table.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ColumnPosition {
    /// Behind all others.
    #[default]
    Last,
    /// Before all others.
    First,
    /// Behind this column.
    After(Ident),
}

/// One property of a domain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DomainChange {
    /// Its default.
    Default {
        /// As it is.
        before: Option<SqlExpr>,
        /// As it will be.
        after: Option<SqlExpr>,
    },
    /// Whether it refuses NULL.
    NotNull(bool),
    /// A new check.
    AddCheck(trueup_schema::DomainCheck),
    /// A check to drop.
    DropCheck(trueup_schema::DomainCheck),
    /// Look at the values that a NOT VALID check has not seen.
    ValidateCheck(trueup_schema::DomainCheck),
}

/// One attribute of a composite type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AttributeChange {
    /// A new attribute, behind all others.
    Add(trueup_schema::Attribute),
    /// An attribute to drop.
    Drop(trueup_schema::Attribute),
    /// Another type or collation.
    SetType {
        /// As it is.
        before: trueup_schema::Attribute,
        /// As it will be.
        after: trueup_schema::Attribute,
    },
}

impl Object {
    /// What it is called.
    #[must_use]
    pub fn reference(&self) -> ObjectRef {
        match self {
            Self::Namespace(namespace) => ObjectRef::Namespace(namespace.name.clone()),
            Self::Extension(extension) => ObjectRef::Extension(extension.name.clone()),
            Self::Type(user_type) => ObjectRef::Type(user_type.name.clone()),
            Self::Sequence(sequence) => ObjectRef::Sequence(sequence.name.clone()),
            Self::Table(table) => ObjectRef::Table(table.name.clone()),
            Self::View(view) => ObjectRef::View(view.name.clone()),
            Self::Index(index) => {
                ObjectRef::Index(PartId { table: index.table.clone(), name: index.index.name.clone() })
            }
            Self::Routine(routine) => ObjectRef::Routine(routine.id.clone()),
            Self::Trigger(trigger) => ObjectRef::Trigger(trigger.id.clone()),
            Self::Policy(policy) => ObjectRef::Policy(policy.id.clone()),
            Self::Opaque(opaque) => ObjectRef::Opaque(opaque.id.clone()),
        }
    }

    /// What it needs besides what its reference implies.
    #[must_use]
    pub fn depends_on(&self) -> &[trueup_schema::Dependency] {
        match self {
            Self::Namespace(namespace) => &namespace.common.depends_on,
            Self::Extension(extension) => &extension.common.depends_on,
            Self::Type(user_type) => &user_type.common.depends_on,
            Self::Sequence(sequence) => &sequence.common.depends_on,
            Self::Table(table) => &table.common.depends_on,
            Self::View(view) => &view.common.depends_on,
            Self::Index(index) => &index.index.depends_on,
            Self::Routine(routine) => &routine.common.depends_on,
            Self::Trigger(trigger) => &trigger.depends_on,
            Self::Policy(policy) => &policy.depends_on,
            Self::Opaque(opaque) => &opaque.common.depends_on,
        }
    }
}

impl Change {
    /// The word in front of an operation's id: `create-table`, `drop-column`, `set-not-null`…
    #[must_use]
    pub fn kind(&self) -> String {
        match self {
            Self::Create { object } => format!("create-{}", object.reference().kind().replace(' ', "-")),
            Self::Drop { object } => format!("drop-{}", object.reference().kind().replace(' ', "-")),
            Self::Rename { from, .. } => format!("rename-{}", from.kind().replace(' ', "-")),
            Self::Adopt { .. } => "adopt".to_owned(),
            Self::AlterNamespace { .. } => "alter-namespace".to_owned(),
            Self::AlterExtension { .. } => "alter-extension".to_owned(),
            Self::AddEnumValue { .. } => "add-enum-value".to_owned(),
            Self::RebuildEnum { .. } => "rebuild-enum".to_owned(),
            Self::AlterDomain { change, .. } => match change {
                DomainChange::Default { .. } => "set-domain-default",
                DomainChange::NotNull(true) => "set-domain-not-null",
                DomainChange::NotNull(false) => "drop-domain-not-null",
                DomainChange::AddCheck(_) => "add-domain-check",
                DomainChange::DropCheck(_) => "drop-domain-check",
                DomainChange::ValidateCheck(_) => "validate-domain-check",
            }
            .to_owned(),
            Self::AlterComposite { change, .. } => match change {
                AttributeChange::Add(_) => "add-attribute",
                AttributeChange::Drop(_) => "drop-attribute",
                AttributeChange::SetType { .. } => "alter-attribute-type",
            }
            .to_owned(),
            Self::AlterSequence { .. } => "alter-sequence".to_owned(),
            Self::SetSequenceOwner { .. } => "set-sequence-owner".to_owned(),
            Self::AlterTable { .. } => "alter-table".to_owned(),
            Self::AttachPartition { .. } => "attach-partition".to_owned(),
            Self::DetachPartition { .. } => "detach-partition".to_owned(),
            Self::SetRowSecurity { .. } => "set-row-security".to_owned(),
            Self::AddColumn { .. } => "add-column".to_owned(),
            Self::DropColumn { .. } => "drop-column".to_owned(),
            Self::AlterColumnType { .. } => "alter-column-type".to_owned(),
            Self::SetDefault { after, .. } if after.default.is_none() => "drop-default".to_owned(),
            Self::SetDefault { .. } => "set-default".to_owned(),
            Self::SetNotNull { .. } => "set-not-null".to_owned(),
            Self::DropNotNull { .. } => "drop-not-null".to_owned(),
            Self::SetIdentity { .. } => "set-identity".to_owned(),
            Self::SetGenerated { .. } => "set-generated".to_owned(),
            Self::SetColumnAttributes { .. } => "set-column-attributes".to_owned(),
            Self::MoveColumn { .. } => "move-column".to_owned(),
            Self::Backfill { .. } => "backfill".to_owned(),
            Self::AddConstraint { .. } => "add-constraint".to_owned(),
            Self::DropConstraint { .. } => "drop-constraint".to_owned(),
            Self::ValidateConstraint { .. } => "validate-constraint".to_owned(),
            Self::AlterConstraint { .. } => "alter-constraint".to_owned(),
            Self::AlterIndex { .. } => "alter-index".to_owned(),
            Self::ReplaceView { .. } => "replace-view".to_owned(),
            Self::AlterView { .. } => "alter-view".to_owned(),
            Self::ReplaceRoutine { .. } => "replace-routine".to_owned(),
            Self::SetTriggerEnabled { .. } => "set-trigger-enabled".to_owned(),
            Self::AlterPolicy { .. } => "alter-policy".to_owned(),
            Self::AlterOpaque { after, .. } => format!("alter-{}", after.id.kind.replace(' ', "-")),
            Self::SetComment { after: None, .. } => "drop-comment".to_owned(),
            Self::SetComment { .. } => "set-comment".to_owned(),
            Self::SetGrants { .. } => "set-grants".to_owned(),
            Self::SetOwner { .. } => "set-owner".to_owned(),
        }
    }

    /// What the change is about, at its finest grain. A rename is about the old name.
    #[must_use]
    pub fn object(&self) -> ObjectRef {
        let column = |table: &QualName, column: &Column| {
            ObjectRef::Column(PartId { table: table.clone(), name: column.name.clone() })
        };
        let constraint = |table: &QualName, constraint: &Constraint| match &constraint.name {
            Some(name) => ObjectRef::Constraint(PartId { table: table.clone(), name: name.clone() }),
            None => ObjectRef::Table(table.clone()),
        };
        match self {
            Self::Create { object } | Self::Drop { object } => object.reference(),
            Self::Rename { from, .. } => from.clone(),
            Self::Adopt { object } => object.clone(),
            Self::AlterNamespace { after, .. } => ObjectRef::Namespace(after.name.clone()),
            Self::AlterExtension { after, .. } => ObjectRef::Extension(after.name.clone()),
            Self::AddEnumValue { name, .. } | Self::AlterDomain { name, .. } | Self::AlterComposite { name, .. } => {
                ObjectRef::Type(name.clone())
            }
            Self::RebuildEnum { after, .. } => ObjectRef::Type(after.name.clone()),
            Self::AlterSequence { after, .. } => ObjectRef::Sequence(after.name.clone()),
            Self::SetSequenceOwner { name, .. } => ObjectRef::Sequence(name.clone()),
            Self::AlterTable { after, .. } => ObjectRef::Table(after.name.clone()),
            Self::AttachPartition { table, .. }
            | Self::DetachPartition { table, .. }
            | Self::SetRowSecurity { table, .. } => ObjectRef::Table(table.clone()),
            Self::AddColumn { table, column: it, .. }
            | Self::DropColumn { table, column: it }
            | Self::MoveColumn { table, column: it, .. }
            | Self::Backfill { table, column: it, .. }
            | Self::AlterColumnType { table, after: it, .. }
            | Self::SetDefault { table, after: it, .. }
            | Self::SetNotNull { table, after: it, .. }
            | Self::DropNotNull { table, after: it, .. }
            | Self::SetIdentity { table, after: it, .. }
            | Self::SetGenerated { table, after: it, .. }
            | Self::SetColumnAttributes { table, after: it, .. } => column(table, it),
            Self::AddConstraint { table, constraint: it }
            | Self::DropConstraint { table, constraint: it }
            | Self::ValidateConstraint { table, constraint: it }
            | Self::AlterConstraint { table, after: it, .. } => constraint(table, it),
            Self::AlterIndex { table, after, .. } => {
                ObjectRef::Index(PartId { table: table.clone(), name: after.name.clone() })
            }
            Self::ReplaceView { after, .. } | Self::AlterView { after, .. } => ObjectRef::View(after.name.clone()),
            Self::ReplaceRoutine { after, .. } => ObjectRef::Routine(after.id.clone()),
            Self::SetTriggerEnabled { after, .. } => ObjectRef::Trigger(after.id.clone()),
            Self::AlterPolicy { after, .. } => ObjectRef::Policy(after.id.clone()),
            Self::AlterOpaque { after, .. } => ObjectRef::Opaque(after.id.clone()),
            Self::SetComment { on, .. } | Self::SetGrants { on, .. } | Self::SetOwner { on, .. } => on.clone(),
        }
    }

    /// The table that the change is a part of, for grouping changes of one table.
    #[must_use]
    pub fn table(&self) -> Option<QualName> {
        match self.object() {
            ObjectRef::Table(table) => Some(table),
            ObjectRef::Column(part)
            | ObjectRef::Constraint(part)
            | ObjectRef::Index(part)
            | ObjectRef::Trigger(part)
            | ObjectRef::Policy(part) => Some(part.table),
            ObjectRef::Namespace(_)
            | ObjectRef::Extension(_)
            | ObjectRef::Type(_)
            | ObjectRef::Sequence(_)
            | ObjectRef::View(_)
            | ObjectRef::Routine(_)
            | ObjectRef::Opaque(_) => None,
        }
    }

    /// The text that tells apart changes of one kind on one object: a label, a grantee, an unnamed constraint's definition.
    #[must_use]
    pub fn detail(&self) -> Option<String> {
        match self {
            Self::AddEnumValue { value, .. } => Some(value.clone()),
            Self::AlterDomain { change, .. } => match change {
                DomainChange::AddCheck(check) | DomainChange::DropCheck(check) | DomainChange::ValidateCheck(check) => {
                    Some(check.name.to_string())
                }
                DomainChange::Default { .. } | DomainChange::NotNull(_) => None,
            },
            Self::AlterComposite { change, .. } => match change {
                AttributeChange::Add(attribute)
                | AttributeChange::Drop(attribute)
                | AttributeChange::SetType { after: attribute, .. } => Some(attribute.name.to_string()),
            },
            Self::AddConstraint { constraint, .. }
            | Self::DropConstraint { constraint, .. }
            | Self::AlterConstraint { after: constraint, .. }
            | Self::ValidateConstraint { constraint, .. } => {
                constraint.name.is_none().then(|| unnamed_constraint(constraint))
            }
            Self::Create { .. }
            | Self::Drop { .. }
            | Self::Rename { .. }
            | Self::Adopt { .. }
            | Self::AlterNamespace { .. }
            | Self::AlterExtension { .. }
            | Self::RebuildEnum { .. }
            | Self::AlterSequence { .. }
            | Self::SetSequenceOwner { .. }
            | Self::AlterTable { .. }
            | Self::AttachPartition { .. }
            | Self::DetachPartition { .. }
            | Self::SetRowSecurity { .. }
            | Self::AddColumn { .. }
            | Self::DropColumn { .. }
            | Self::AlterColumnType { .. }
            | Self::SetDefault { .. }
            | Self::SetNotNull { .. }
            | Self::DropNotNull { .. }
            | Self::SetIdentity { .. }
            | Self::SetGenerated { .. }
            | Self::SetColumnAttributes { .. }
            | Self::MoveColumn { .. }
            | Self::Backfill { .. }
            | Self::AlterIndex { .. }
            | Self::ReplaceView { .. }
            | Self::AlterView { .. }
            | Self::ReplaceRoutine { .. }
            | Self::SetTriggerEnabled { .. }
            | Self::AlterPolicy { .. }
            | Self::AlterOpaque { .. }
            | Self::SetComment { .. }
            | Self::SetGrants { .. }
            | Self::SetOwner { .. } => None,
        }
    }
}

/// A short text for a constraint without a name: its kind and columns or condition.
#[must_use]
pub fn unnamed_constraint(constraint: &Constraint) -> String {
    use trueup_schema::{ConstraintKind, IndexKey};
    let list = |names: &[Ident]| names.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
    let parts = |key: &trueup_schema::Key| {
        key.columns
            .iter()
            .map(|part| {
                let key = match &part.key {
                    IndexKey::Column(name) => name.to_string(),
                    IndexKey::Expr(expr) => expr.to_string(),
                };
                // Two keys over one column may differ in nothing else.
                let collation = part.collation.as_ref().map(|collation| format!(" collate {}", collation.name));
                let direction = if part.descending { " desc" } else { "" };
                format!("{key}{}{direction}", collation.unwrap_or_default())
            })
            .collect::<Vec<_>>()
            .join(",")
    };
    match &constraint.kind {
        ConstraintKind::PrimaryKey(key) => format!("primary-key({})", parts(key)),
        ConstraintKind::Unique(key) => format!("unique({})", parts(key)),
        ConstraintKind::Check { expr, .. } => format!("check({expr})"),
        ConstraintKind::ForeignKey(key) => format!("foreign-key({})->{}", list(&key.columns), key.references),
        ConstraintKind::Exclude { definition } => format!("exclude({definition})"),
    }
}

/// A use of the type of a column, for messages.
#[must_use]
pub fn type_words(data_type: &DataType) -> String {
    let words = data_type.to_string();
    if words.is_empty() { "no type".to_owned() } else { words }
}
