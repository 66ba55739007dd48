//! Desired schemas from documents, SQL files and folders, through a dev database.
