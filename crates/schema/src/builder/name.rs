//! What may stand for a name, and what the builders of one schema share.

use super::BuildError;
use crate::{DialectId, Ident, IdentError, PathError, QualName};

/// A text or value that names something by one part. A dot in it is a part of the name.
pub trait ToIdent {
    /// The name.
    ///
    /// # Errors
    /// [`IdentError`] if the text cannot be one.
    fn to_ident(&self) -> Result<Ident, IdentError>;
}

impl ToIdent for str {
    fn to_ident(&self) -> Result<Ident, IdentError> {
        Ident::new(self)
    }
}

impl ToIdent for String {
    fn to_ident(&self) -> Result<Ident, IdentError> {
        Ident::new(self)
    }
}

impl ToIdent for Ident {
    fn to_ident(&self) -> Result<Ident, IdentError> {
        Ok(self.clone())
    }
}

impl<T: ToIdent + ?Sized> ToIdent for &T {
    fn to_ident(&self) -> Result<Ident, IdentError> {
        (**self).to_ident()
    }
}

/// A path (`users`, `shop.users`, `shop."odd.name"`), a pair of namespace and name, or a value that names something in a namespace.
pub trait ToQualName {
    /// The name.
    ///
    /// # Errors
    /// [`PathError`] if the text cannot be one.
    fn to_qual_name(&self) -> Result<QualName, PathError>;
}

impl ToQualName for str {
    fn to_qual_name(&self) -> Result<QualName, PathError> {
        QualName::parse(self)
    }
}

impl ToQualName for String {
    fn to_qual_name(&self) -> Result<QualName, PathError> {
        QualName::parse(self)
    }
}

impl ToQualName for QualName {
    fn to_qual_name(&self) -> Result<QualName, PathError> {
        Ok(self.clone())
    }
}

impl ToQualName for (&str, &str) {
    fn to_qual_name(&self) -> Result<QualName, PathError> {
        let part = |text: &str| {
            Ident::new(text).map_err(|source| PathError::Ident { path: format!("{}.{}", self.0, self.1), source })
        };
        Ok(QualName::new(Some(part(self.0)?), part(self.1)?))
    }
}

impl<T: ToQualName + ?Sized> ToQualName for &T {
    fn to_qual_name(&self) -> Result<QualName, PathError> {
        (**self).to_qual_name()
    }
}

/// What all builders of one schema share.
#[derive(Debug, Clone)]
pub(super) struct Shared {
    pub(super) dialect: DialectId,
    /// The namespace of names that give none.
    pub(super) namespace: Option<Ident>,
    pub(super) errors: Vec<BuildError>,
}

impl Shared {
    /// The name, or a stand-in that never leaves the builder, because the mistake is on record.
    pub(super) fn ident(&mut self, name: impl ToIdent, place: impl FnOnce() -> String) -> Ident {
        name.to_ident().unwrap_or_else(|source| {
            self.errors.push(BuildError::Ident { place: place(), source });
            Ident::stand_in()
        })
    }

    /// The qualified name, or a stand-in that never leaves the builder.
    pub(super) fn qual_name(&mut self, name: impl ToQualName, place: impl FnOnce() -> String) -> QualName {
        match name.to_qual_name() {
            Ok(mut name) => {
                if name.namespace.is_none() {
                    name.namespace.clone_from(&self.namespace);
                }
                name
            }
            Err(source) => {
                self.errors.push(BuildError::Path { place: place(), source });
                QualName::new(None, Ident::stand_in())
            }
        }
    }

    /// Records that the engine lacks something, unless it is one of `having`.
    pub(super) fn require(&mut self, having: &[DialectId], what: &'static str, place: impl FnOnce() -> String) {
        if !having.contains(&self.dialect) {
            self.errors.push(BuildError::Unsupported { place: place(), what, dialect: self.dialect });
        }
    }
}
