/** How V8 compiles the embedded database: at once and simply, and again, optimized, what has run for long. */

/** A process of one test file or service ends before a second compilation would pay off. The service of an installation does not. */
export const COMPILE_ONCE = "--wasm-tiering-budget=2000000000";

/** A process that runs dozens of test files compiles its hottest functions again, a few times later than V8 does by itself. */
export const COMPILE_HOT = "--wasm-tiering-budget=60000000";
