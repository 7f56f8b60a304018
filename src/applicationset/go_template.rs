//! Templates of Go, with the functions that Argo CD gives them.
