//! Our values as parameters.

use sqlx::encode::{Encode, IsNull};
use sqlx::error::BoxDynError;
use sqlx::postgres::types::Oid;
use sqlx::postgres::{PgArgumentBuffer, PgArguments, PgTypeInfo, Postgres};
use sqlx::{Arguments, Type};

use crate::{DbError, DbErrorKind, Value};

/// A NULL whose type the server works out from where it stands.
struct Untyped;

impl Type<Postgres> for Untyped {
    fn type_info() -> PgTypeInfo {
        PgTypeInfo::with_oid(Oid(0))
    }
}

impl Encode<'_, Postgres> for Untyped {
    fn encode_by_ref(&self, _: &mut PgArgumentBuffer) -> Result<IsNull, BoxDynError> {
        Ok(IsNull::Yes)
    }
}

pub(super) fn arguments(parameters: &[Value]) -> Result<PgArguments, DbError> {
    let mut arguments = PgArguments::default();
    for value in parameters {
        match value {
            Value::Null => arguments.add(Untyped),
            Value::Bool(flag) => arguments.add(*flag),
            Value::Int(number) => arguments.add(*number),
            Value::Float(number) => arguments.add(*number),
            Value::Text(text) => arguments.add(text.as_str()),
            Value::Bytes(bytes) => arguments.add(bytes.as_slice()),
            Value::Texts(texts) => arguments.add(texts),
            Value::Ints(numbers) => arguments.add(numbers),
        }
        .map_err(|cause| DbError::new(DbErrorKind::Other, format!("a parameter does not encode: {cause}")))?;
    }
    Ok(arguments)
}
