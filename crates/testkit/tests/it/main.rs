//! The testkit's own live tests: databases come and go, and sessions break where they should.

mod databases;
mod faults;
