//! Threads: independent work on several threads, with the results in order, and work on a thread with enough stack.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, Builder};

use crate::has_enough_stack;

/// The maximum number of threads for one Application. The sidecar shares its node with hundreds of Applications.
pub const MAX_THREADS: usize = 4;

/// Calls `work` for every index below `count`, and returns the results in the order of the indices. Uses one thread per processor, but at most
/// `most`. Each thread makes its own state with `state` and passes it to all its calls. If threads cannot be started, the calling thread does all the
/// work. A panic in a thread continues in the caller.
pub fn in_order<S, T: Send>(
    count: usize,
    most: usize,
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, usize) -> T + Sync,
) -> Vec<T> {
    let threads = thread::available_parallelism().map_or(1, usize::from).min(most).min(count);
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut state = state();
        let mine = || {
            let index = next.fetch_add(1, Ordering::Relaxed);
            (index < count).then(|| (index, work(&mut state, index)))
        };
        std::iter::from_fn(mine).collect::<Vec<(usize, T)>>()
    };
    let mut done = thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map_while(|_| Builder::new().spawn_scoped(scope, worker).ok()).collect();
        let mut done = worker();
        for other in others {
            done.extend(other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        done
    });
    done.sort_unstable_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

/// The stack, in bytes, on which all work succeeds: even the deepest nesting that is accepted takes less than a third of it. It is also the default
/// stack of a thread.
const STACK: usize = 2 << 20;

/// Returns the result of `work`. If the process has less stack than `work` may need (`ulimit -s`), does the work on a thread with enough stack. If
/// that thread cannot be started, the calling thread does the work. A panic in the thread continues in the caller.
pub fn with_enough_stack<T: Send>(work: impl Fn() -> T + Sync) -> T {
    if has_enough_stack(STACK as u64) {
        return work();
    }
    thread::scope(|scope| match Builder::new().stack_size(STACK).spawn_scoped(scope, &work) {
        Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
        Err(_) => work(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_order_however_many_threads_there_are() {
        for most in [0, 1, 3, 100] {
            let squares = in_order(50, most, || 0, |_, index| index * index);
            assert_eq!(squares, (0..50).map(|index| index * index).collect::<Vec<_>>(), "{most} threads");
        }
        assert!(in_order(0, 4, || (), |(), index| index).is_empty());
    }
}
