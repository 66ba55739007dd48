//! From a live and a desired schema to a classified, ordered, grouped plan.
