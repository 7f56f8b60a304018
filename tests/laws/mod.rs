//! What must hold of the program for every input there is. The suite asks it of the inputs in `testdata/`, `fuzz/` of inputs that it
//! makes: both compile these files, which therefore name nothing of the suite.

pub(crate) mod generate;
pub(crate) mod lines;
pub(crate) mod preview;
pub(crate) mod seen;
pub(crate) mod unseen;
