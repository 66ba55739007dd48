//! Throw-away servers, fault-injecting sessions and a case runner for trueup's own tests.
