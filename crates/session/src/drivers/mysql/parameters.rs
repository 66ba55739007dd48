//! Our values as parameters.

use sqlx::Arguments;
use sqlx::mysql::MySqlArguments;

use crate::drivers::common;
use crate::{DbError, DbErrorKind, Value};

pub(super) fn arguments(parameters: &[Value]) -> Result<MySqlArguments, DbError> {
    let mut arguments = MySqlArguments::default();
    for value in parameters {
        match value {
            Value::Null => arguments.add(None::<&str>),
            Value::Bool(flag) => arguments.add(*flag),
            Value::Int(number) => arguments.add(*number),
            Value::Float(number) => arguments.add(*number),
            Value::Text(text) => arguments.add(text.as_str()),
            Value::Bytes(bytes) => arguments.add(bytes.as_slice()),
            Value::Texts(_) | Value::Ints(_) => return Err(common::no_arrays()),
        }
        .map_err(|cause| DbError::new(DbErrorKind::Other, format!("a parameter does not encode: {cause}")))?;
    }
    Ok(arguments)
}
