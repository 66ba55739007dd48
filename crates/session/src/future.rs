//! What an asynchronous function of a crate's interface returns.

use std::pin::Pin;

/// A future on the heap, whose type says nothing of what is inside.
///
/// The entry points of the crates return it instead of being `async`: a coroutine is compiled where it is first polled, so that
/// without this every program that embeds trueup would compile nearly all of it again.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
