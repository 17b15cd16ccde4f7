/**
 * How V8 runs the embedded database: how often it recompiles a function, and when it collects the garbage of a closed
 * database.
 */

/**
 * A process of one test file or service ends before a second compilation would pay off, unlike the service of an
 * installation.
 */
export const COMPILE_ONCE = "--wasm-tiering-budget=2000000000";

/**
 * A process that runs dozens of test files recompiles its hottest functions, a few times later than V8 does by default.
 */
export const COMPILE_HOT = "--wasm-tiering-budget=60000000";

/**
 * For a process that opens many databases in memory. Each counts as 15 MB outside of the heap, for which V8 collects
 * all garbage once or twice, unless this memory counts as heap that may grow to 768 MB first.
 */
export const COLLECT_LATE = ["--external-memory-accounted-in-global-limit", "--initial-heap-size=768"];
