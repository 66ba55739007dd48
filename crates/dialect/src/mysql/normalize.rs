//! The form in which schemas of MySQL and MariaDB are compared.

use std::collections::{BTreeMap, BTreeSet};

use trueup_schema::{
    Column, Common, Constraint, ConstraintKind, DataType, FkAction, Form, Ident, Index, IndexKey, IndexPart,
    Parameters, QualName, SPELLED, Schema, SqlExpr, Table, View,
};

use super::charsets::{canonical, charset_of};
use super::flavour::{Flavour, Server};
use super::options::default_method;
use super::types::Type;
use super::{defaults, names, options};

/// Brings `schema` into the form that the server would report.
pub(crate) fn normalise(flavour: &Flavour, server: &Server, schema: &mut Schema) {
    let declared = schema.form == Form::Declared;
    let mut collations = BTreeMap::new();
    for namespace in schema.namespaces.values_mut() {
        let collation = charset_and_collation(flavour, server, &mut namespace.options, None);
        collations.insert(namespace.name.clone(), collation);
        strip(&mut namespace.common);
    }
    let mut taken = Taken::of(schema);
    for table in schema.tables.values_mut() {
        let inherited = table.name.namespace.as_ref().and_then(|name| collations.get(name)).cloned();
        let inherited = inherited.unwrap_or_else(|| server.default_collation(flavour));
        Here { flavour, server, declared }.table(table, &inherited, &mut taken);
    }
    for view in schema.views.values_mut() {
        self::view(view);
    }
    let routines = schema.routines.values_mut().map(|routine| &mut routine.common);
    let sequences = schema.sequences.values_mut().map(|sequence| &mut sequence.common);
    let objects = schema.objects.values_mut().map(|object| &mut object.common);
    routines.chain(sequences).chain(objects).for_each(strip);
}

/// What these servers have no place for.
fn strip(common: &mut Common) {
    common.owner = None;
    common.grants = None;
    common.comment = common.comment.take().filter(|text| !text.is_empty());
}

/// Fills in the one that is missing, from the other or from what surrounds it. The result is the collation.
fn charset_and_collation(
    flavour: &Flavour,
    server: &Server,
    options: &mut Parameters,
    inherited: Option<&str>,
) -> String {
    let given = |name: &str| options.get(name).map(|text| canonical(text)).filter(|text| text != "default");
    let collation = match (given("charset"), given("collation")) {
        (charset, Some(short)) if short.starts_with("uca1400") => {
            // A short name is completed by its character set.
            let charset = charset.or_else(|| inherited.map(|name| charset_of(name).to_owned()));
            format!("{}_{short}", charset.as_deref().unwrap_or("utf8mb4"))
        }
        (_, Some(collation)) => collation,
        (Some(charset), None) => server.collation_of(flavour, &charset),
        (None, None) => inherited.map_or_else(|| server.default_collation(flavour), str::to_owned),
    };
    options.insert("charset".to_owned(), charset_of(&collation).to_owned());
    options.insert("collation".to_owned(), collation.clone());
    collation
}

/// Names that are shared by all tables of a database, in lower case.
struct Taken(BTreeMap<Option<Ident>, BTreeSet<String>>);

impl Taken {
    fn of(schema: &Schema) -> Self {
        let mut taken = Self(BTreeMap::new());
        for table in schema.tables.values() {
            for name in table.constraints.iter().filter_map(|constraint| constraint.name.as_ref()) {
                taken.add(&table.name, name);
            }
        }
        taken
    }

    fn add(&mut self, table: &QualName, name: &Ident) {
        self.0.entry(table.namespace.clone()).or_default().insert(name.as_str().to_lowercase());
    }
}

struct Here<'a> {
    flavour: &'a Flavour,
    server: &'a Server,
    declared: bool,
}

impl Here<'_> {
    fn table(&self, table: &mut Table, inherited: &str, taken: &mut Taken) {
        strip(&mut table.common);
        let parameters = &mut table.options.parameters;
        options::canonical(parameters, self.server.default_engine());
        let collation = charset_and_collation(self.flavour, self.server, parameters, Some(inherited));
        let mut serials = Vec::new();
        for column in &mut table.columns {
            serials.extend(serial(column).then(|| column.name.clone()));
            self.column(column, &collation);
        }
        let method = default_method(parameters.get("engine").map_or("", String::as_str));
        keys_refuse_null(table);
        self.unique_keys(table, serials);
        for index in &mut table.indexes {
            self::index(index, &table.columns, method);
        }
        for constraint in &mut table.constraints {
            self.constraint(constraint, &table.name, &table.columns);
            constraint.parameters.retain(|name, value| !(name == "using" && value.eq_ignore_ascii_case(method)));
        }
        if !table.spelled {
            unspell(table);
        }
        self.constraint_names(table, taken);
        if self.declared {
            indexes_of_foreign_keys(table);
        }
    }

    fn column(&self, column: &mut Column, table_collation: &str) {
        column.comment = column.comment.take().filter(|text| !text.is_empty());
        column.not_null_clause = None;
        if column.identity.take().is_some() {
            column.auto_increment = true;
        }
        column.not_null |= column.auto_increment;
        let read = match &mut column.data_type {
            DataType::Builtin(text) => {
                let read = Type::read(text);
                *text = read.spell(self.flavour.spelling);
                read
            }
            DataType::Named(_) => return,
        };
        self.collation(column, &read, table_collation);
        column.attributes.retain(|name, value| !(name == "invisible" && value == "false"));
        let words = self.flavour.words;
        if let Some(text) = column.attributes.get_mut("on_update") {
            let list: Vec<_> = super::tokens::tokens(text).into_iter().filter(crate::Token::is_solid).collect();
            if let Some(now) = defaults::now(&list, words) {
                *text = now;
            }
        }
        let spelled = column.default.as_ref().filter(|_| self.declared).and_then(|default| {
            defaults::canonical(default.as_str(), Some(&Type::read(&column.data_type.to_string())), words)
        });
        if let Some(text) = spelled {
            column.default = Some(SqlExpr(text)).filter(|text| text.as_str() != "NULL");
        }
    }

    /// A text column has a character set and a collation, its own or the table's; any other has none.
    fn collation(&self, column: &mut Column, read: &Type, table_collation: &str) {
        let charset = column.attributes.remove("charset");
        let collation = column.collation.take();
        if !read.has_charset() {
            return;
        }
        let mut options = Parameters::new();
        let charset = charset.or_else(|| read.national.then(|| "utf8mb3".to_owned()));
        options.extend(charset.map(|text| ("charset".to_owned(), text)));
        options.extend(collation.map(|name| ("collation".to_owned(), name.name.as_str().to_owned())));
        let collation = charset_and_collation(self.flavour, self.server, &mut options, Some(table_collation));
        column.attributes.insert("charset".to_owned(), charset_of(&collation).to_owned());
        column.collation = Ident::new(collation).ok().map(|name| QualName::new(None, name));
    }

    /// A unique constraint is an index here.
    fn unique_keys(&self, table: &mut Table, serials: Vec<Ident>) {
        let mut taken: BTreeSet<String> =
            table.indexes.iter().map(|index| index.name.as_str().to_lowercase()).collect();
        let mut made: Vec<(Option<Ident>, Index)> = Vec::new();
        table.constraints.retain(|constraint| match &constraint.kind {
            ConstraintKind::Unique(key) => {
                let first = key.columns.first().and_then(IndexPart::column_name);
                // Only an unnamed key over an expression has neither.
                let Some(name) = constraint.name.as_ref().or(first) else { return true };
                let mut index = Index::new(name.clone(), key.columns.clone());
                index.parameters.clone_from(&constraint.parameters);
                index.comment.clone_from(&constraint.comment);
                made.push((constraint.name.clone(), index));
                false
            }
            ConstraintKind::PrimaryKey(_)
            | ConstraintKind::Check { .. }
            | ConstraintKind::ForeignKey(_)
            | ConstraintKind::Exclude { .. } => true,
        });
        for name in serials {
            made.push((None, Index::new(name.clone(), vec![IndexPart::column(name)])));
        }
        taken.extend(made.iter().filter_map(|(name, _)| name.as_ref()).map(|name| name.as_str().to_lowercase()));
        for (name, mut index) in made {
            index.unique = true;
            if name.is_none() {
                index.name = names::key_name(&index.name, &taken).unwrap_or(index.name);
                taken.insert(index.name.as_str().to_lowercase());
            }
            table.indexes.push(index);
        }
    }

    fn constraint(&self, constraint: &mut Constraint, table: &QualName, columns: &[Column]) {
        constraint.comment = constraint.comment.take().filter(|text| !text.is_empty());
        constraint.validated = true;
        constraint.deferrable = trueup_schema::Deferrable::No;
        constraint.enforced |= !self.flavour.unenforced;
        match &mut constraint.kind {
            ConstraintKind::PrimaryKey(key) => {
                constraint.name = None;
                key.columns.iter_mut().for_each(|part| self::part(part, columns));
            }
            ConstraintKind::Check { no_inherit, column, .. } => {
                *no_inherit = false;
                if !self.flavour.column_checks {
                    *column = None;
                } else if column.is_some() {
                    constraint.name.clone_from(column);
                }
            }
            ConstraintKind::ForeignKey(key) => {
                // A declaration by hand cannot tell NO ACTION from nothing said.
                for action in [&mut key.on_delete, &mut key.on_update] {
                    if self.declared && *action == FkAction::NoAction {
                        *action = self.flavour.silent_action;
                    }
                }
                key.match_type = None;
                if key.references.namespace.is_none() {
                    key.references.namespace.clone_from(&table.namespace);
                }
            }
            ConstraintKind::Unique(_) | ConstraintKind::Exclude { .. } => {}
        }
    }

    /// Names for checks and foreign keys that have none.
    fn constraint_names(&self, table: &mut Table, taken: &mut Taken) {
        let name = table.name.clone();
        let own: BTreeSet<String> = table
            .constraints
            .iter()
            .filter_map(|it| it.name.as_ref())
            .map(|name| name.as_str().to_lowercase())
            .collect();
        let check_stem = (self.flavour.check_stem)(&name.name);
        let key_stem = names::key_stem(&name.name);
        let mut own = own;
        for constraint in &mut table.constraints {
            if constraint.name.is_some() {
                continue;
            }
            let everywhere = taken.0.entry(name.namespace.clone()).or_default();
            let found = match &constraint.kind {
                ConstraintKind::Check { .. } if self.flavour.capabilities.check_names_per_namespace => {
                    names::numbered(&check_stem, 1, everywhere)
                }
                ConstraintKind::Check { .. } => names::numbered(&check_stem, 1, &own),
                ConstraintKind::ForeignKey(_) => names::numbered(&key_stem, 1, everywhere),
                ConstraintKind::PrimaryKey(_) | ConstraintKind::Unique(_) | ConstraintKind::Exclude { .. } => None,
            };
            if let Some(found) = &found {
                own.insert(found.as_str().to_lowercase());
                taken.add(&name, found);
            }
            constraint.name = found;
        }
    }
}

/// `SERIAL` is a word for three things and a key.
fn serial(column: &mut Column) -> bool {
    let is_serial = column.data_type.to_string().trim().eq_ignore_ascii_case("serial");
    if is_serial {
        column.data_type = DataType::builtin("bigint unsigned");
        column.not_null = true;
        column.auto_increment = true;
    }
    is_serial
}

fn keys_refuse_null(table: &mut Table) {
    let key: Vec<Ident> = table
        .primary_key()
        .into_iter()
        .flat_map(|key| &key.columns)
        .filter_map(|part| part.column_name())
        .cloned()
        .collect();
    for column in table.columns.iter_mut().filter(|column| key.contains(&column.name)) {
        column.not_null = true;
    }
}

/// Takes out of a declaration by hand what only a server can say.
fn unspell(table: &mut Table) {
    table.columns.iter_mut().for_each(|column| drop(column.attributes.remove(SPELLED)));
    table.constraints.iter_mut().for_each(|constraint| drop(constraint.parameters.remove(SPELLED)));
    table.indexes.iter_mut().for_each(|index| drop(index.parameters.remove(SPELLED)));
}

fn index(index: &mut Index, columns: &[Column], by_itself: &str) {
    let given = index.method.take().or_else(|| index.parameters.remove("using"));
    index.parameters.remove("using");
    index.method = given.map(|method| method.to_ascii_lowercase()).filter(|method| method != by_itself);
    index.comment = index.comment.take().filter(|text| !text.is_empty());
    index.parameters.retain(|name, value| !(name == "invisible" && value == "false"));
    index.parts.iter_mut().for_each(|part| self::part(part, columns));
}

/// A prefix as long as the column is no prefix.
fn part(part: &mut IndexPart, columns: &[Column]) {
    part.nulls_first = None;
    part.collation = None;
    let IndexKey::Column(name) = &mut part.key else { return };
    let Some(column) = columns.iter().find(|column| column.name.as_str().eq_ignore_ascii_case(name.as_str())) else {
        return;
    };
    *name = column.name.clone();
    let read = Type::read(&column.data_type.to_string());
    let has_length = matches!(read.name.as_str(), "char" | "varchar" | "binary" | "varbinary");
    if has_length && part.prefix.map(u64::from) == read.length() {
        part.prefix = None;
    }
}

/// The server makes an index for a foreign key that has none.
fn indexes_of_foreign_keys(table: &mut Table) {
    let mut taken: BTreeSet<String> = table.indexes.iter().map(|index| index.name.as_str().to_lowercase()).collect();
    let mut made: Vec<Index> = Vec::new();
    let first = |parts: &[IndexPart], columns: &[Ident]| {
        parts.len() >= columns.len()
            && parts.iter().zip(columns).all(|(part, name)| part.column_name() == Some(name) && part.prefix.is_none())
    };
    for (constraint, key) in table.foreign_keys() {
        let by_key = table.primary_key().is_some_and(|primary| first(&primary.columns, &key.columns));
        let by_index =
            table.indexes.iter().chain(&made).any(|index| index.method.is_none() && first(&index.parts, &key.columns));
        if by_key || by_index {
            continue;
        }
        let is_numbered = |name: &&Ident| names::is_numbered(name, &names::key_stem(&table.name.name));
        let given = constraint.name.as_ref().filter(|name| !is_numbered(name)).cloned();
        let stem = given.or_else(|| key.columns.first().cloned());
        let Some(name) = stem.and_then(|stem| names::key_name(&stem, &taken)) else { continue };
        taken.insert(name.as_str().to_lowercase());
        made.push(Index::new(name, key.columns.iter().cloned().map(IndexPart::column).collect()));
    }
    table.indexes.extend(made);
}

fn view(view: &mut View) {
    strip(&mut view.common);
    view.common.comment = None;
    for text in view.options.iter_mut().filter(|(name, _)| *name != "definer").map(|(_, text)| text) {
        text.make_ascii_lowercase();
    }
    let by_itself = [("algorithm", "undefined"), ("sql_security", "definer"), ("check_option", "none")];
    view.options.retain(|name, text| !by_itself.contains(&(name.as_str(), text.as_str())));
    for column in &mut view.columns {
        column.comment = None;
    }
}
