//! Laws that must hold for every input. The suite checks them on the inputs in `testdata/`, and `fuzz/` on generated
//! inputs: both compile these files, so they use nothing of the suite.

pub(crate) mod generate;
pub(crate) mod lines;
pub(crate) mod preview;
pub(crate) mod seen;
pub(crate) mod unseen;
