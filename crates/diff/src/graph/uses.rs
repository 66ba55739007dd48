//! What an object needs, read from its definition and from the dependencies that it carries.

use std::collections::BTreeSet;

use trueup_dialect::Dialect;
use trueup_plan::Object;
use trueup_schema::{
    Column, Constraint, ConstraintKind, DataType, Dependency, Ident, Index, IndexKey, IndexPart, Key, ObjectRef,
    PartId, QualName, Schema, SqlExpr, Strength, Table, UserType, UserTypeKind, View,
};

/// What can be needed. Finer than an [`ObjectRef`] where an engine looks at something that has no name of its own.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Site {
    /// An object, column, constraint or index.
    Object(ObjectRef),
    /// Uniqueness of these columns, sorted, whoever grants it: what a foreign key leans on.
    Key(QualName, Vec<Ident>),
    /// The primary key, whatever its columns.
    PrimaryKey(QualName),
    /// A constraint without a name, by its short text.
    Unnamed(QualName, String),
    /// A label of an enum.
    Label(QualName, String),
    /// Who owns the object.
    Owner(ObjectRef),
}

impl Site {
    pub(crate) fn column(table: &QualName, name: &Ident) -> Self {
        Self::Object(ObjectRef::Column(PartId { table: table.clone(), name: name.clone() }))
    }

    pub(crate) fn table(name: &QualName) -> Self {
        Self::Object(ObjectRef::Table(name.clone()))
    }

    /// The site of a constraint, by name where it has one.
    pub(crate) fn constraint(table: &QualName, constraint: &Constraint) -> Self {
        match &constraint.name {
            Some(name) => Self::Object(ObjectRef::Constraint(PartId { table: table.clone(), name: name.clone() })),
            None => Self::Unnamed(table.clone(), trueup_plan::unnamed_constraint(constraint)),
        }
    }

    /// The table or view that it is a part of.
    pub(crate) fn container(&self) -> Option<&QualName> {
        match self {
            Self::Key(table, _) | Self::PrimaryKey(table) | Self::Unnamed(table, _) => Some(table),
            Self::Object(
                ObjectRef::Column(part)
                | ObjectRef::Constraint(part)
                | ObjectRef::Index(part)
                | ObjectRef::Trigger(part)
                | ObjectRef::Policy(part),
            ) => Some(&part.table),
            Self::Object(
                ObjectRef::Namespace(_)
                | ObjectRef::Extension(_)
                | ObjectRef::Type(_)
                | ObjectRef::Sequence(_)
                | ObjectRef::Table(_)
                | ObjectRef::View(_)
                | ObjectRef::Routine(_)
                | ObjectRef::Opaque(_),
            )
            | Self::Label(..)
            | Self::Owner(_) => None,
        }
    }

    /// The relation, if the whole of one is meant.
    pub(crate) const fn relation(&self) -> Option<&QualName> {
        match self {
            Self::Object(ObjectRef::Table(name) | ObjectRef::View(name)) => Some(name),
            Self::Object(
                ObjectRef::Namespace(_)
                | ObjectRef::Extension(_)
                | ObjectRef::Type(_)
                | ObjectRef::Sequence(_)
                | ObjectRef::Column(_)
                | ObjectRef::Constraint(_)
                | ObjectRef::Index(_)
                | ObjectRef::Routine(_)
                | ObjectRef::Trigger(_)
                | ObjectRef::Policy(_)
                | ObjectRef::Opaque(_),
            )
            | Self::Key(..)
            | Self::PrimaryKey(_)
            | Self::Unnamed(..)
            | Self::Label(..)
            | Self::Owner(_) => None,
        }
    }

    /// Everything under which this may have been made or removed: itself, and what it is a part of.
    pub(crate) fn carriers(&self) -> Vec<Self> {
        let relation = |name: &QualName| {
            [Self::Object(ObjectRef::Table(name.clone())), Self::Object(ObjectRef::View(name.clone()))]
        };
        let mut carriers = vec![self.clone()];
        // A relation brings a type of its own name, and a scan of text can't tell a table from a view.
        let named = if let Self::Object(ObjectRef::Type(name) | ObjectRef::Table(name) | ObjectRef::View(name)) = self {
            Some(name)
        } else {
            self.container()
        };
        if let Some(name) = named {
            carriers.extend(relation(name).into_iter().filter(|carrier| carrier != self));
        }
        carriers
    }
}

/// One thing that an object needs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Use {
    /// What.
    pub(crate) on: Site,
    /// How sure this is.
    pub(crate) strength: Strength,
    /// Any column of the relation may be meant.
    pub(crate) whole: bool,
}

impl Use {
    pub(crate) const fn hard(on: Site) -> Self {
        Self { on, strength: Strength::Hard, whole: false }
    }

    const fn soft(on: Site) -> Self {
        Self { on, strength: Strength::Soft, whole: false }
    }

    /// A use of a relation where any of its columns may be meant.
    pub(crate) const fn whole(on: Site) -> Self {
        Self { on, strength: Strength::Hard, whole: true }
    }
}

/// The columns of a key's parts, sorted; `None` if a part is an expression.
pub(crate) fn key_columns(parts: &[IndexPart]) -> Option<Vec<Ident>> {
    let mut names = parts.iter().map(|part| part.column_name().cloned()).collect::<Option<Vec<_>>>()?;
    names.sort();
    Some(names)
}

/// Uniqueness that a constraint grants.
pub(crate) fn keys_of(table: &QualName, constraint: &Constraint) -> Vec<Site> {
    match &constraint.kind {
        ConstraintKind::PrimaryKey(key) => {
            let mut sites = vec![Site::PrimaryKey(table.clone())];
            sites.extend(key_columns(&key.columns).map(|columns| Site::Key(table.clone(), columns)));
            sites
        }
        ConstraintKind::Unique(key) => {
            key_columns(&key.columns).map(|columns| Site::Key(table.clone(), columns)).into_iter().collect()
        }
        ConstraintKind::Check { .. } | ConstraintKind::ForeignKey(_) | ConstraintKind::Exclude { .. } => Vec::new(),
    }
}

/// Uniqueness that an index grants.
pub(crate) fn key_of_index(table: &QualName, index: &Index) -> Option<Site> {
    if !index.unique || index.predicate.is_some() {
        return None;
    }
    key_columns(&index.parts).map(|columns| Site::Key(table.clone(), columns))
}

/// Reads definitions against the schema that they are part of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reader<'a> {
    /// The engine.
    pub(crate) dialect: &'a dyn Dialect,
    /// The schema around.
    pub(crate) schema: &'a Schema,
}

impl Reader<'_> {
    /// What carried dependencies say. A relation of which no column is named is used as a whole.
    pub(crate) fn carried(dependencies: &[Dependency]) -> Vec<Use> {
        let fine: BTreeSet<&QualName> = dependencies
            .iter()
            .filter_map(|each| match &each.on {
                ObjectRef::Column(part) => Some(&part.table),
                ObjectRef::Namespace(_)
                | ObjectRef::Extension(_)
                | ObjectRef::Type(_)
                | ObjectRef::Sequence(_)
                | ObjectRef::Table(_)
                | ObjectRef::View(_)
                | ObjectRef::Constraint(_)
                | ObjectRef::Index(_)
                | ObjectRef::Routine(_)
                | ObjectRef::Trigger(_)
                | ObjectRef::Policy(_)
                | ObjectRef::Opaque(_) => None,
            })
            .collect();
        let used = |each: &Dependency| {
            let on = Site::Object(each.on.clone());
            let whole = on.relation().is_some_and(|name| !fine.contains(name));
            Use { on, strength: each.strength, whole }
        };
        dependencies.iter().map(used).collect()
    }

    /// Columns of `table` that `expr` may read, by its tokens.
    pub(crate) fn scan(&self, table: &QualName, expr: &SqlExpr) -> Vec<Use> {
        let Some(table) = self.schema.tables.get(table) else { return Vec::new() };
        let names: BTreeSet<String> = self
            .dialect
            .tokens(expr.as_str())
            .iter()
            .filter_map(trueup_dialect::Token::name)
            .filter_map(|name| Ident::new(name).ok())
            .map(|name| self.dialect.fold(&name))
            .collect();
        let read = table.columns.iter().filter(|column| names.contains(&self.dialect.fold(&column.name)));
        read.map(|column| Use::soft(Site::column(&table.name, &column.name))).collect()
    }

    /// Carried dependencies of a part of `table`, and a scan of its text where they name no column of it.
    fn expression(&self, table: &QualName, dependencies: &[Dependency], texts: &[&SqlExpr]) -> Vec<Use> {
        let mut uses = Self::carried(dependencies);
        // A part always hangs on its table; that alone says nothing about columns.
        uses.retain(|each| each.on.relation() != Some(table));
        if !uses.iter().any(|each| each.on.container() == Some(table)) {
            for text in texts {
                uses.extend(self.scan(table, text));
            }
        }
        uses
    }

    /// What a type needs.
    pub(crate) fn data_type(data_type: &DataType) -> Vec<Use> {
        data_type.type_name().map(|name| Use::hard(Site::Object(ObjectRef::Type(name.clone())))).into_iter().collect()
    }

    /// What a column needs to be there at all: its type, and a collation.
    pub(crate) fn typed(column: &Column) -> Vec<Use> {
        let mut uses = Self::data_type(&column.data_type);
        uses.extend(
            Self::carried(&column.depends_on)
                .into_iter()
                .filter(|each| matches!(&each.on, Site::Object(ObjectRef::Opaque(id)) if id.kind == "collation")),
        );
        uses
    }

    /// What a column's default or generation expression needs.
    pub(crate) fn value(&self, table: &QualName, column: &Column) -> Vec<Use> {
        if column.default.is_none() && column.generated.is_none() {
            return Vec::new();
        }
        let text = column.generated.as_ref().map(|generated| &generated.expr);
        let texts: Vec<&SqlExpr> = text.into_iter().collect();
        let mut uses = self.expression(table, &column.depends_on, &texts);
        uses.retain(|each| each.on != Site::column(table, &column.name));
        uses
    }

    /// What a column needs besides its table.
    pub(crate) fn column(&self, table: &QualName, column: &Column) -> Vec<Use> {
        let mut uses = Self::typed(column);
        uses.extend(self.value(table, column));
        uses
    }

    fn parts(&self, table: &QualName, parts: &[IndexPart], include: &[Ident]) -> Vec<Use> {
        let mut uses: Vec<Use> = include.iter().map(|name| Use::hard(Site::column(table, name))).collect();
        for part in parts {
            match &part.key {
                IndexKey::Column(name) => uses.push(Use::hard(Site::column(table, name))),
                IndexKey::Expr(expr) => uses.extend(self.scan(table, expr)),
            }
        }
        uses
    }

    fn key(&self, table: &QualName, key: &Key) -> Vec<Use> {
        self.parts(table, &key.columns, &key.include)
    }

    /// What a constraint needs besides its table.
    pub(crate) fn constraint(&self, table: &QualName, constraint: &Constraint) -> Vec<Use> {
        let carried = || self.expression(table, &constraint.depends_on, &[]);
        match &constraint.kind {
            ConstraintKind::PrimaryKey(key) | ConstraintKind::Unique(key) => {
                let mut uses = self.key(table, key);
                uses.extend(carried());
                uses
            }
            ConstraintKind::Check { expr, .. } | ConstraintKind::Exclude { definition: expr } => {
                self.expression(table, &constraint.depends_on, &[expr])
            }
            ConstraintKind::ForeignKey(key) => {
                let strength =
                    if self.dialect.capabilities().fk_needs_target { Strength::Hard } else { Strength::Soft };
                let far = |on| Use { on, strength, whole: false };
                let mut uses: Vec<Use> = key.columns.iter().map(|name| Use::hard(Site::column(table, name))).collect();
                uses.push(far(Site::table(&key.references)));
                uses.extend(key.referenced_columns.iter().map(|name| far(Site::column(&key.references, name))));
                if key.referenced_columns.is_empty() {
                    uses.push(far(Site::PrimaryKey(key.references.clone())));
                } else {
                    let mut columns = key.referenced_columns.clone();
                    columns.sort();
                    uses.push(far(Site::Key(key.references.clone(), columns)));
                }
                uses.extend(carried().into_iter().map(|each| Use { strength: each.strength.max(strength), ..each }));
                uses
            }
        }
    }

    /// What an index needs besides its table.
    pub(crate) fn index(&self, table: &QualName, index: &Index) -> Vec<Use> {
        let mut uses = self.parts(table, &index.parts, &index.include);
        let texts: Vec<&SqlExpr> = index.predicate.iter().collect();
        uses.extend(self.expression(table, &index.depends_on, &[]));
        for text in texts {
            uses.extend(self.scan(table, text));
        }
        if let Some(parent) = &index.partition_of {
            // The parent index's table is not named; it is found by its own name space.
            uses.push(Use::soft(Site::table(parent)));
        }
        uses
    }

    /// What a table needs as a whole, its parts left aside.
    pub(crate) fn table_alone(table: &Table) -> Vec<Use> {
        let mut uses = Self::carried(&table.common.depends_on);
        uses.extend(table.inherits.iter().map(|parent| Use::whole(Site::table(parent))));
        uses.extend(table.partition_of.iter().map(|place| Use::whole(Site::table(&place.parent))));
        uses
    }

    /// What a table needs with all its parts, itself left out.
    pub(crate) fn table(&self, table: &Table) -> Vec<Use> {
        let name = &table.name;
        let mut uses = Self::table_alone(table);
        if !self.dialect.capabilities().fk_needs_target {
            let targets: BTreeSet<&QualName> = table.foreign_keys().map(|(_, key)| &key.references).collect();
            let is_target = |each: &Use| {
                each.on.relation().or_else(|| each.on.container()).is_some_and(|relation| targets.contains(relation))
            };
            uses.iter_mut().filter(|each| is_target(each)).for_each(|each| each.strength = Strength::Soft);
        }
        uses.extend(table.columns.iter().flat_map(|column| self.column(name, column)));
        uses.extend(table.constraints.iter().flat_map(|constraint| self.constraint(name, constraint)));
        uses.extend(table.indexes.iter().flat_map(|index| self.index(name, index)));
        uses.retain(|each| each.on.container() != Some(name) && each.on.relation() != Some(name));
        uses
    }

    /// What a view needs.
    pub(crate) fn view(&self, view: &View) -> Vec<Use> {
        let mut uses = Self::carried(&view.common.depends_on);
        uses.extend(view.indexes.iter().flat_map(|index| self.index(&view.name, index)));
        uses.retain(|each| each.on.container() != Some(&view.name) && each.on.relation() != Some(&view.name));
        uses
    }

    /// What a named type needs.
    pub(crate) fn user_type(user_type: &UserType) -> Vec<Use> {
        let mut uses = Self::carried(&user_type.common.depends_on);
        match &user_type.kind {
            UserTypeKind::Enum { .. } => {}
            UserTypeKind::Domain(domain) => {
                uses.extend(Self::data_type(&domain.base));
                uses.extend(domain.checks.iter().flat_map(|check| Self::carried(&check.depends_on)));
            }
            UserTypeKind::Composite { attributes } => {
                uses.extend(attributes.iter().flat_map(|attribute| Self::data_type(&attribute.data_type)));
            }
            UserTypeKind::Range(range) => uses.extend(Self::data_type(&range.subtype)),
        }
        uses.retain(|each| each.on != Site::Object(ObjectRef::Type(user_type.name.clone())));
        uses
    }

    /// What a standalone object needs, its namespace included.
    pub(crate) fn object(&self, object: &Object) -> Vec<Use> {
        let mut uses = match object {
            Object::Namespace(namespace) => Self::carried(&namespace.common.depends_on),
            Object::Extension(extension) => {
                let mut uses = Self::carried(&extension.common.depends_on);
                uses.extend(extension.namespace.iter().cloned().map(namespace_use));
                uses
            }
            Object::Type(user_type) => Self::user_type(user_type),
            Object::Sequence(sequence) => Self::carried(&sequence.common.depends_on),
            Object::Table(table) => self.table(table),
            Object::View(view) => self.view(view),
            Object::Index(index) => {
                let mut uses = self.index(&index.table, &index.index);
                uses.push(self.relation(&index.table));
                uses
            }
            Object::Routine(routine) => {
                let mut uses = Self::carried(&routine.common.depends_on);
                if !routine.tracked && self.dialect.capabilities().unchecked_bodies {
                    // Such a body may name what is not there yet; types of arguments are of the signature and must be.
                    soften_bodies(&mut uses);
                }
                uses
            }
            Object::Trigger(trigger) => {
                let mut uses = Self::carried(&trigger.depends_on);
                uses.push(Use { whole: true, ..self.relation(&trigger.id.table) });
                uses
            }
            Object::Policy(policy) => {
                let texts: Vec<&SqlExpr> = policy.using.iter().chain(&policy.check).collect();
                let mut uses = self.expression(&policy.id.table, &policy.depends_on, &texts);
                uses.push(self.relation(&policy.id.table));
                uses
            }
            Object::Opaque(opaque) => {
                let mut uses = Self::carried(&opaque.common.depends_on);
                // What hangs on no table names the columns that it reads; a publication of a table reads none of them.
                uses.iter_mut().for_each(|each| each.whole &= opaque.id.table.is_some());
                uses.extend(opaque.id.table.iter().map(|table| Use { whole: true, ..self.relation(table) }));
                uses
            }
        };
        let reference = object.reference();
        uses.extend(reference.namespace().cloned().map(namespace_use));
        let own = Site::Object(reference);
        uses.retain(|each| each.on != own);
        uses
    }

    /// A use of the table or view called `name`.
    pub(crate) fn relation(&self, name: &QualName) -> Use {
        if self.schema.views.contains_key(name) {
            Use::hard(Site::Object(ObjectRef::View(name.clone())))
        } else {
            Use::hard(Site::table(name))
        }
    }
}

fn namespace_use(name: Ident) -> Use {
    Use::hard(Site::Object(ObjectRef::Namespace(name)))
}

fn soften_bodies(uses: &mut [Use]) {
    for each in uses {
        if !matches!(each.on, Site::Object(ObjectRef::Type(_))) {
            each.strength = Strength::Soft;
        }
    }
}
