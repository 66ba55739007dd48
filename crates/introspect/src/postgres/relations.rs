//! Entries of the catalog's list of relations.

use trueup_schema::Common;
use trueup_session::Row;

use super::acl::{self, Acl};
use super::build::Context;
use super::reader::Reader;
use super::sql::class;
use crate::IntrospectError;

/// A table, view, composite or sequence.
#[derive(Debug)]
pub(super) struct Relation<'a> {
    pub(super) oid: i64,
    pub(super) kind: &'a str,
    pub(super) persistence: &'a str,
    pub(super) parameters: Vec<&'a str>,
    pub(super) toast_parameters: Vec<&'a str>,
    pub(super) tablespace: i64,
    pub(super) access_method: i64,
    pub(super) replica_identity: &'a str,
    pub(super) row_security: bool,
    pub(super) forced_row_security: bool,
    pub(super) populated: bool,
    /// The type that a typed table is of.
    pub(super) of_type: i64,
    pub(super) owner: &'a str,
    pub(super) acl: Option<Vec<&'a str>>,
    pub(super) default_acl: Option<Vec<&'a str>>,
    pub(super) query: Option<&'a str>,
    pub(super) partition_key: Option<&'a str>,
    pub(super) bound: Option<&'a str>,
    pub(super) parents: Vec<i64>,
    pub(super) server: Option<&'a str>,
    pub(super) server_options: Vec<&'a str>,
    pub(super) rows: Option<i64>,
    pub(super) is_ours: bool,
}

impl<'a> Relation<'a> {
    pub(super) fn read(row: &'a Row) -> Result<Self, IntrospectError> {
        let mut row = Reader::new(row, "tables");
        let oid = row.int()?;
        let (_namespace, _name) = (row.int()?, row.text()?);
        let (kind, persistence, _row_type) = (row.text()?, row.text()?, row.int()?);
        Ok(Self {
            oid,
            kind,
            persistence,
            parameters: row.texts()?,
            toast_parameters: row.texts()?,
            tablespace: row.int()?,
            access_method: row.int()?,
            replica_identity: row.text()?,
            row_security: row.flag()?,
            forced_row_security: row.flag()?,
            populated: row.flag()?,
            of_type: row.int()?,
            owner: row.text()?,
            acl: row.texts_or_null()?,
            default_acl: row.texts_or_null()?,
            query: row.text_or_null()?,
            partition_key: row.text_or_null()?,
            bound: row.text_or_null()?,
            parents: row.ints()?,
            server: row.text_or_null()?,
            server_options: row.texts()?,
            rows: row.int_or_null()?,
            is_ours: row.flag()?,
        })
    }

    /// Comment, owner, privileges of the relation itself, dependencies.
    pub(super) fn common(&self, context: &Context<'_>) -> Result<Common, IntrospectError> {
        let acl = Acl { owner: self.owner, list: self.acl.as_deref(), default: self.default_acl.as_deref() };
        context.common(class::CLASS, self.oid, self.owner, acl::grants(acl))
    }
}
