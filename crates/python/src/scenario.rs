//! Scenarios as Python sees them: checked, resolved, opaque.
