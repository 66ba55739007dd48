//! Named types as wholes; composites and ranges in full.

use trueup_plan::AttributeChange;
use trueup_schema::{Attribute, QualName, RangeType, UserType, UserTypeKind};

use super::words::{Rendered, collate, run, type_sql};
use super::{domain, enums};
use crate::sql::Sql;

pub(super) fn create(user_type: &UserType) -> Rendered {
    match &user_type.kind {
        UserTypeKind::Enum { labels } => Ok(vec![run(&enums::create(&user_type.name, labels))]),
        UserTypeKind::Domain(it) => Ok(domain::create(&user_type.name, it)),
        UserTypeKind::Composite { attributes } => {
            let head = Sql::new("CREATE TYPE").qualified(&user_type.name).words("AS");
            Ok(vec![run(&head.list(attributes.iter().map(attribute)))])
        }
        UserTypeKind::Range(it) => Ok(vec![run(&range(&user_type.name, it))]),
    }
}

pub(super) fn drop(user_type: &UserType) -> Rendered {
    let word = match &user_type.kind {
        UserTypeKind::Domain(_) => "DROP DOMAIN",
        UserTypeKind::Enum { .. } | UserTypeKind::Composite { .. } | UserTypeKind::Range(_) => "DROP TYPE",
    };
    Ok(vec![run(&Sql::new(word).qualified(&user_type.name))])
}

pub(super) fn alter_composite(name: &QualName, change: &AttributeChange) -> Rendered {
    let alter = Sql::new("ALTER TYPE").qualified(name);
    let sql = match change {
        AttributeChange::Add(it) => alter.words("ADD ATTRIBUTE").then(attribute(it)),
        AttributeChange::Drop(it) => alter.words("DROP ATTRIBUTE").name(&it.name),
        AttributeChange::SetType { after, .. } => {
            let alter =
                alter.words("ALTER ATTRIBUTE").name(&after.name).words("TYPE").words(type_sql(&after.data_type));
            collate(alter, after.collation.as_ref())
        }
    };
    Ok(vec![run(&sql)])
}

fn attribute(attribute: &Attribute) -> Sql {
    let sql = Sql::default().name(&attribute.name).words(type_sql(&attribute.data_type));
    collate(sql, attribute.collation.as_ref())
}

fn range(name: &QualName, range: &RangeType) -> Sql {
    let mut items = vec![Sql::new("SUBTYPE =").words(type_sql(&range.subtype))];
    let named = [
        ("SUBTYPE_OPCLASS =", &range.opclass),
        ("COLLATION =", &range.collation),
        ("CANONICAL =", &range.canonical),
        ("SUBTYPE_DIFF =", &range.subtype_diff),
        ("MULTIRANGE_TYPE_NAME =", &range.multirange),
    ];
    for (word, value) in named {
        if let Some(value) = value {
            items.push(Sql::new(word).qualified(value));
        }
    }
    Sql::new("CREATE TYPE").qualified(name).words("AS RANGE").list(items)
}
