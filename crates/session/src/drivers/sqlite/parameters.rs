//! Our values as parameters.

use sqlx::Arguments;
use sqlx::sqlite::SqliteArguments;

use crate::drivers::common;
use crate::{DbError, DbErrorKind, Value};

pub(super) fn arguments(parameters: &[Value]) -> Result<SqliteArguments, DbError> {
    let mut arguments = SqliteArguments::default();
    for value in parameters {
        match value {
            Value::Null => Arguments::add(&mut arguments, None::<i64>),
            Value::Bool(flag) => Arguments::add(&mut arguments, *flag),
            Value::Int(number) => Arguments::add(&mut arguments, *number),
            Value::Float(number) => Arguments::add(&mut arguments, *number),
            Value::Text(text) => Arguments::add(&mut arguments, text.clone()),
            Value::Bytes(bytes) => Arguments::add(&mut arguments, bytes.clone()),
            Value::Texts(_) | Value::Ints(_) => return Err(common::no_arrays()),
        }
        .map_err(|cause| DbError::new(DbErrorKind::Other, format!("a parameter does not encode: {cause}")))?;
    }
    Ok(arguments)
}
