/** How V8 runs the embedded database: how often it compiles a function of it, and when it collects what a closed one has left. */

/** A process of one test file or service ends before a second compilation would pay off. The service of an installation does not. */
export const COMPILE_ONCE = "--wasm-tiering-budget=2000000000";

/** A process that runs dozens of test files compiles its hottest functions again, a few times later than V8 does by itself. */
export const COMPILE_HOT = "--wasm-tiering-budget=60000000";

/**
 * For a process that opens many databases in memory: each counts as 15 MB outside of the heap, for which V8 collects all garbage once or
 * twice, unless this memory counts as heap that may grow to 768 MB before.
 */
export const COLLECT_LATE = ["--external-memory-accounted-in-global-limit", "--initial-heap-size=768"];
