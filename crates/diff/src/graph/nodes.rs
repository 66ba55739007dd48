//! What a change makes, removes, alters and needs: the facts that edges are drawn from.

use trueup_plan::{AttributeChange, Change, ColumnPosition, DomainChange, EnumPosition, Object, TableColumn};
use trueup_schema::{Column, Constraint, Dependency, Grant, Ident, ObjectRef, PartId, QualName, SqlExpr, Table};

use super::names::{Name, Naming};
use super::uses::{Reader, Site, Use, key_of_index, keys_of};
use crate::draft::Draft;
use crate::inherit::Families;
use crate::online::Proof;

/// Where a change stands among the changes of one column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    Add,
    Unset,
    Relax,
    Backfill,
    Convert,
    Generate,
    Default,
    /// A check is added that proves that it has no NULL.
    Prove,
    /// The check is looked at.
    Look,
    NotNull,
    /// The check is no longer needed.
    Proven,
    Identity,
    Own,
    Attributes,
}

/// The facts about one draft.
#[derive(Debug, Default)]
pub(crate) struct Node {
    /// What is there after it and was not before.
    pub(crate) makes: Vec<Site>,
    /// What was there before it and is not after.
    pub(crate) removes: Vec<Site>,
    /// What it changes so that whoever uses it should come before or after.
    pub(crate) alters: Vec<Site>,
    /// What its object needs as it is.
    pub(crate) old: Vec<Use>,
    /// What its object will need.
    pub(crate) new: Vec<Use>,
    /// Names that it takes.
    pub(crate) takes: Vec<Name>,
    /// Names that it frees.
    pub(crate) frees: Vec<Name>,
    /// The column whose changes have an order of their own, and the place in it.
    pub(crate) stage: Option<(Site, Stage)>,
    /// It takes something away: it comes before the change that caused it, not after.
    pub(crate) is_removal: bool,
    /// Parents under the names that they have after renames.
    pub(crate) mentions: Vec<ObjectRef>,
    /// It takes the name that its object is found by from something else: a rename's old and new name.
    pub(crate) renames: Option<(ObjectRef, ObjectRef)>,
}

/// Draws the facts of changes from both schemas.
#[derive(Debug)]
pub(crate) struct NodeBuilder<'a> {
    pub(crate) old: Reader<'a>,
    pub(crate) new: Reader<'a>,
    pub(crate) naming: Naming<'a>,
    pub(crate) families: Families,
}

impl NodeBuilder<'_> {
    /// The facts of `draft`.
    pub(crate) fn node(&self, draft: &Draft) -> Node {
        let mut node = self.facts(&draft.change);
        super::families::spread(&mut node, &self.families, self.old.schema);
        node.mentions.extend(mentions(&draft.change));
        if let Some(proof) = &draft.proof {
            prove(&mut node, proof);
        }
        node
    }

    fn facts(&self, change: &Change) -> Node {
        match change {
            Change::Create { object } => self.create(object),
            Change::Drop { object } => self.drop(object),
            Change::Rename { from, to, .. } => self.rename(from, to),
            Change::Adopt { .. } => Node::default(),
            Change::AlterNamespace { .. }
            | Change::AlterExtension { .. }
            | Change::AlterSequence { .. }
            | Change::AlterConstraint { .. }
            | Change::AlterIndex { .. } => altering(change),
            Change::AddEnumValue { name, value, position } => Node {
                // Nobody who uses the type minds one label more.
                makes: vec![Site::Label(name.clone(), value.clone())],
                new: [neighbour(name, position), vec![Use::hard(Site::Object(ObjectRef::Type(name.clone())))]].concat(),
                ..Node::default()
            },
            Change::RebuildEnum { columns, .. } => rebuild_enum(altering(change), columns),
            Change::AlterDomain { name, change: part } => domain(name, part, altering(change)),
            Change::AlterComposite { name, change: part } => attribute(name, part, altering(change)),
            Change::SetSequenceOwner { name, before, after, .. } => {
                sequence_owner(name, before.as_ref(), after.as_ref())
            }
            Change::AlterTable { before, after } => {
                let new = [Reader::table_alone(after), identity(after)].concat();
                Node { old: Reader::table_alone(before), new, ..altering(change) }
            }
            Change::AttachPartition { table, partition_of } => attach(table, &partition_of.parent),
            Change::DetachPartition { partition_of, .. } => {
                Node { old: vec![Use::hard(Site::table(&partition_of.parent))], is_removal: true, ..altering(change) }
            }
            Change::SetRowSecurity { table, .. } => uses(Site::table(table)),
            Change::AddColumn { table, column, position } => self.add_column(table, column, position),
            Change::DropColumn { table, column } => self.drop_column(table, column),
            Change::AlterColumnType { table, before, after, using } => {
                Node { alters: altering(change).alters, ..self.convert(table, before, after, using.as_ref()) }
            }
            Change::SetDefault { table, before, after } => self.set_default(table, before, after),
            Change::SetGenerated { table, before, after } => Node {
                old: self.old.value(table, before),
                new: self.new.value(table, after),
                // values that are no longer computed can be converted, those that are cannot
                stage: stage(table, after, if after.generated.is_some() { Stage::Generate } else { Stage::Unset }),
                ..altering(change)
            },
            Change::SetIdentity { table, before, after } => self.set_identity(table, before, after),
            Change::SetNotNull { table, after, .. } => {
                Node { stage: stage(table, after, Stage::NotNull), ..altering(change) }
            }
            Change::DropNotNull { table, after, .. } => {
                Node { stage: stage(table, after, Stage::Relax), ..altering(change) }
            }
            Change::SetColumnAttributes { table, after, .. } => {
                Node { stage: stage(table, after, Stage::Attributes), ..Node::default() }
            }
            Change::MoveColumn { table, column, position } => {
                Node { new: after_moved(table, column, position), ..Node::default() }
            }
            Change::Backfill { table, column, value } => {
                let read = self.read(table, &column.name, Some(value));
                Node { old: read.clone(), new: read, stage: stage(table, column, Stage::Backfill), ..altering(change) }
            }
            Change::AddConstraint { table, constraint } => self.add_constraint(table, constraint),
            Change::DropConstraint { table, constraint } => self.drop_constraint(table, constraint),
            Change::ValidateConstraint { table, constraint } => uses(Site::constraint(table, constraint)),
            // some engines say the whole view again to alter its options
            Change::ReplaceView { before, after } | Change::AlterView { before, after } => {
                Node { old: self.old.view(before), new: self.new.view(after), ..altering(change) }
            }
            Change::ReplaceRoutine { before, after } => Node {
                old: self.old.object(&Object::Routine(before.clone())),
                new: self.new.object(&Object::Routine(after.clone())),
                ..altering(change)
            },
            Change::SetTriggerEnabled { after, .. } => uses(Site::Object(ObjectRef::Trigger(after.id.clone()))),
            Change::AlterPolicy { before, after } => Node {
                old: self.old.object(&Object::Policy(before.clone())),
                new: self.new.object(&Object::Policy(after.clone())),
                ..altering(change)
            },
            Change::AlterOpaque { before, after } => Node {
                old: self.old.object(&Object::Opaque(before.clone())),
                new: self.new.object(&Object::Opaque(after.clone())),
                ..altering(change)
            },
            Change::SetComment { on, .. } => uses(Site::Object(on.clone())),
            Change::SetGrants { on, before, .. } => grants(on, before.as_deref().unwrap_or_default()),
            Change::SetOwner { on, .. } => {
                Node { makes: vec![Site::Owner(on.clone())], ..uses(Site::Object(on.clone())) }
            }
        }
    }

    fn rename(&self, from: &ObjectRef, to: &ObjectRef) -> Node {
        let moved = to.namespace().filter(|_| to.namespace() != from.namespace());
        Node {
            makes: vec![Site::Object(to.clone())],
            takes: vec![self.naming.of_reference(to)],
            frees: vec![self.naming.of_reference(from)],
            renames: Some((from.clone(), to.clone())),
            new: moved.map(namespace_use).into_iter().collect(),
            ..Node::default()
        }
    }

    fn create(&self, object: &Object) -> Node {
        let mut makes = vec![Site::Object(object.reference())];
        if let Object::Index(index) = object {
            makes.extend(key_of_index(&index.table, &index.index));
        }
        let mut new = self.new.object(object);
        if let Object::Sequence(sequence) = object {
            new.extend(sequence.owned_by.iter().map(|part| Use::hard(Site::column(&part.table, &part.name))));
        }
        Node { makes, new, takes: self.naming.of_object(object), ..Node::default() }
    }

    fn drop(&self, object: &Object) -> Node {
        let mut removes = vec![Site::Object(object.reference())];
        if let Object::Index(index) = object {
            removes.extend(key_of_index(&index.table, &index.index));
        }
        Node {
            removes,
            old: self.old.object(object),
            frees: self.naming.of_dropped(object),
            is_removal: true,
            ..Node::default()
        }
    }

    fn add_column(&self, table: &QualName, column: &Column, position: &ColumnPosition) -> Node {
        let mut new = self.new.column(table, column);
        new.push(Use::hard(Site::table(table)));
        new.extend(after(table, position));
        Node {
            makes: vec![Site::column(table, &column.name)],
            new,
            takes: self.naming.of_column(table, column),
            stage: stage(table, column, Stage::Add),
            ..Node::default()
        }
    }

    fn drop_column(&self, table: &QualName, column: &Column) -> Node {
        let mut old = self.old.column(table, column);
        old.push(Use::hard(Site::table(table)));
        Node {
            removes: vec![Site::column(table, &column.name)],
            old,
            frees: self.naming.of_dropped_column(table, column),
            is_removal: true,
            ..Node::default()
        }
    }

    fn convert(&self, table: &QualName, before: &Column, after: &Column, using: Option<&SqlExpr>) -> Node {
        let read = self.read(table, &after.name, using);
        let mut new = Reader::typed(after);
        new.extend(read.iter().cloned());
        let mut old = Reader::typed(before);
        old.extend(read);
        Node { old, new, stage: stage(table, after, Stage::Convert), ..Node::default() }
    }

    fn set_default(&self, table: &QualName, before: &Column, after: &Column) -> Node {
        let gone = after.default.is_none();
        Node {
            old: self.old.value(table, before),
            new: self.new.value(table, after),
            stage: stage(table, after, if gone { Stage::Unset } else { Stage::Default }),
            is_removal: gone,
            ..Node::default()
        }
    }

    fn set_identity(&self, table: &QualName, before: &Column, after: &Column) -> Node {
        let identity = |column| self.naming.of_identity(table, column).into_iter().collect();
        let (takes, frees) = match (&before.identity, &after.identity) {
            (None, Some(_)) => (identity(after), Vec::new()),
            (Some(_), None) => (Vec::new(), identity(before)),
            (None, None) | (Some(_), Some(_)) => (Vec::new(), Vec::new()),
        };
        let gone = after.identity.is_none() && !after.auto_increment;
        let place = if gone { Stage::Unset } else { Stage::Identity };
        // A column that counts by itself must lead a key, from its first moment to its last.
        let key = |counts: bool| counts.then(|| Use::hard(Site::PrimaryKey(table.clone()))).into_iter().collect();
        let (old, new) = (key(before.auto_increment), key(after.auto_increment));
        Node { takes, frees, old, new, stage: stage(table, after, place), ..Node::default() }
    }

    /// Other columns of the table that a conversion or backfill reads.
    fn read(&self, table: &QualName, column: &Ident, value: Option<&SqlExpr>) -> Vec<Use> {
        let Some(value) = value else { return Vec::new() };
        let own = Site::column(table, column);
        let mut read = self.new.scan(table, value);
        read.extend(self.old.scan(table, value));
        read.retain(|each| each.on != own);
        read.sort();
        read.dedup();
        read
    }

    fn add_constraint(&self, table: &QualName, constraint: &Constraint) -> Node {
        let mut makes = vec![Site::constraint(table, constraint)];
        makes.extend(keys_of(table, constraint));
        let mut new = self.new.constraint(table, constraint);
        new.push(Use::hard(Site::table(table)));
        Node { makes, new, takes: self.naming.of_constraint(table, constraint), ..Node::default() }
    }

    fn drop_constraint(&self, table: &QualName, constraint: &Constraint) -> Node {
        let mut removes = vec![Site::constraint(table, constraint)];
        removes.extend(keys_of(table, constraint));
        let mut old = self.old.constraint(table, constraint);
        old.push(Use::hard(Site::table(table)));
        Node { removes, old, frees: self.naming.of_constraint(table, constraint), is_removal: true, ..Node::default() }
    }
}

/// What proves that a column has no NULL has its place among the changes of the column, and needs nothing else of it.
fn prove(node: &mut Node, proof: &Proof) {
    let column = Site::Object(ObjectRef::Column(proof.column.clone()));
    node.old.retain(|used| used.on != column);
    node.new.retain(|used| used.on != column);
    if proof.stage == Stage::NotNull {
        // Nobody but a primary key minds, and that one is told. Whoever else waited would be missing until the proof is done.
        node.alters.clear();
    }
    if proof.stage == Stage::Proven {
        // The name was made for this plan, and nobody waits for it.
        node.frees.clear();
    }
    node.stage = Some((column, proof.stage));
}

fn namespace_use(name: &Ident) -> Use {
    Use::hard(Site::Object(ObjectRef::Namespace(name.clone())))
}

/// A change that alters the object that it is about.
fn altering(change: &Change) -> Node {
    Node { alters: vec![Site::Object(change.object())], ..Node::default() }
}

fn uses(site: Site) -> Node {
    Node { new: vec![Use::hard(site)], ..Node::default() }
}

#[expect(clippy::unnecessary_wraps, reason = "the field is optional")]
fn stage(table: &QualName, column: &Column, stage: Stage) -> Option<(Site, Stage)> {
    Some((Site::column(table, &column.name), stage))
}

/// The column that a new one is put behind.
fn after(table: &QualName, position: &ColumnPosition) -> Option<Use> {
    match position {
        ColumnPosition::Last | ColumnPosition::First => None,
        ColumnPosition::After(name) => Some(Use::hard(Site::column(table, name))),
    }
}

fn after_moved(table: &QualName, column: &Column, position: &ColumnPosition) -> Vec<Use> {
    let mut uses: Vec<Use> = after(table, position).into_iter().collect();
    uses.push(Use::hard(Site::column(table, &column.name)));
    uses
}

/// A label must be there before another is put next to it.
fn neighbour(name: &QualName, position: &EnumPosition) -> Vec<Use> {
    match position {
        EnumPosition::Last => Vec::new(),
        EnumPosition::Before(label) | EnumPosition::After(label) => {
            vec![Use::hard(Site::Label(name.clone(), label.clone()))]
        }
    }
}

fn attribute(name: &QualName, change: &AttributeChange, mut node: Node) -> Node {
    match change {
        AttributeChange::Add(attribute) => {
            node.new = Reader::data_type(&attribute.data_type);
            node.takes.push(part_of_type(name, &attribute.name));
        }
        AttributeChange::Drop(attribute) => {
            node.old = Reader::data_type(&attribute.data_type);
            node.frees.push(part_of_type(name, &attribute.name));
            node.is_removal = true;
        }
        AttributeChange::SetType { before, after } => {
            node.old = Reader::data_type(&before.data_type);
            node.new = Reader::data_type(&after.data_type);
        }
    }
    node
}

fn domain(name: &QualName, change: &DomainChange, mut node: Node) -> Node {
    match change {
        DomainChange::AddCheck(check) => {
            let used = |each: &Dependency| Use { strength: each.strength, ..Use::hard(Site::Object(each.on.clone())) };
            node.new = check.depends_on.iter().map(used).collect();
            node.takes.push(part_of_type(name, &check.name));
        }
        DomainChange::DropCheck(check) => {
            node.frees.push(part_of_type(name, &check.name));
            node.is_removal = true;
        }
        DomainChange::Default { .. } | DomainChange::NotNull(_) | DomainChange::ValidateCheck(_) => {}
    }
    node
}

/// The name of a domain's check or a composite type's attribute.
fn part_of_type(name: &QualName, part: &Ident) -> Name {
    Name::Other("part of a type".to_owned(), format!("{name}.{part}"))
}

fn rebuild_enum(mut node: Node, columns: &[TableColumn]) -> Node {
    node.alters.extend(columns.iter().map(|each| Site::column(&each.table, &each.column.name)));
    node
}

fn sequence_owner(name: &QualName, before: Option<&PartId>, after: Option<&PartId>) -> Node {
    let column = |part: &PartId| Site::column(&part.table, &part.name);
    let mut new = vec![Use::hard(Site::Object(ObjectRef::Sequence(name.clone())))];
    new.extend(after.map(|part| Use::hard(column(part))));
    Node {
        // Untied first, so that the sequence stays when the column goes.
        old: before.map(|part| Use::hard(column(part))).into_iter().collect(),
        new,
        stage: after.map(|part| (column(part), Stage::Own)),
        ..Node::default()
    }
}

fn attach(table: &QualName, parent: &QualName) -> Node {
    Node { new: vec![Use::whole(Site::table(table)), Use::whole(Site::table(parent))], ..Node::default() }
}

/// The index or key by which replication knows rows.
fn identity(table: &Table) -> Vec<Use> {
    let Some(name) = table.options.identity_index().and_then(|name| Ident::new(name).ok()) else { return Vec::new() };
    let part = PartId { table: table.name.clone(), name };
    [ObjectRef::Index(part.clone()), ObjectRef::Constraint(part)].map(|on| Use::hard(Site::Object(on))).to_vec()
}

/// Privileges may name columns, those of today for as long as these are there, and come after the owner's own.
fn grants(on: &ObjectRef, before: &[Grant]) -> Node {
    let site = Site::Object(on.clone());
    let whole = site.relation().is_some();
    let object = Use { whole, ..Use::hard(site) };
    let columns = before.iter().filter_map(|grant| grant.column.as_ref());
    let old = Site::Object(on.clone())
        .relation()
        .map_or_else(Vec::new, |table| columns.map(|column| Use::hard(Site::column(table, column))).collect());
    Node { old, new: vec![object, Use::hard(Site::Owner(on.clone()))], ..Node::default() }
}

/// The objects whose new names the change's SQL spells: the table of a part.
fn mentions(change: &Change) -> Vec<ObjectRef> {
    let parent = |object: &ObjectRef| match object {
        ObjectRef::Column(part)
        | ObjectRef::Constraint(part)
        | ObjectRef::Index(part)
        | ObjectRef::Trigger(part)
        | ObjectRef::Policy(part) => vec![ObjectRef::Table(part.table.clone()), ObjectRef::View(part.table.clone())],
        ObjectRef::Namespace(_)
        | ObjectRef::Extension(_)
        | ObjectRef::Type(_)
        | ObjectRef::Sequence(_)
        | ObjectRef::Table(_)
        | ObjectRef::View(_)
        | ObjectRef::Routine(_)
        | ObjectRef::Opaque(_) => Vec::new(),
    };
    let object = change.object();
    let mut mentioned = parent(&object);
    if let Some(namespace) = object.namespace() {
        mentioned.push(ObjectRef::Namespace(namespace.clone()));
    }
    if !matches!(change, Change::Rename { .. } | Change::Create { .. }) {
        mentioned.push(object);
    }
    mentioned
}
