/**
 * One name for each thing: the terms that the code avoids, each with the established one. A reader who knows MQTT, X.509
 * and PostgreSQL should know every term of a name or a sentence. `npm run check` enforces the lists (`tools/wording/`).
 */
export interface AvoidedWord {
  /** A regular expression. In `avoidedNames` it matches a name as separate lower-case words: `keyStore` is `key store`. */
  pattern: string;
  instead: string;
}

/** Avoided in names that the code or its SQL declares, and in file names. */
export const avoidedNames: readonly AvoidedWord[] = [
  { pattern: "judg(e|es|ed|ing|ement|ements|er)", instead: "authorize, evaluate, validate or verify" },
  { pattern: "tend(s|ed|ing)?", instead: "maintain, prune or reap" },
  { pattern: "reach", instead: "faultPoint, or what it contains" },
  { pattern: "gather(s|ed|er|ing)?", instead: "batch, collect or coalesce" },
  { pattern: "lanes?", instead: "worker, shard or queue" },
  { pattern: "passengers?", instead: "what it is" },
  { pattern: "faces?", instead: "facade" },
  { pattern: "worlds?", instead: "environment or fixture" },
  { pattern: "^note .+|noted", instead: "record or log" },
  { pattern: "placing", instead: "partition target" },
  { pattern: "kept (ms|days|soon)|keep( \\w+)? (ms|days)", instead: "retention" },
  { pattern: "settle(s|d)?|settling", instead: "acknowledge, answer, finish, flush, release or what it does" },
  { pattern: "hour parts?|parts? of hours?", instead: "slice" },
  { pattern: "passed anomal\\w+", instead: "the transition: opened, continued or resolved" },
];

/** Avoided in comments, documents and every string that is a sentence: messages, help, names of tests. */
export const avoidedPhrases: readonly AvoidedWord[] = [
  { pattern: "judg(e|es|ed|ing|ement|ements|er)", instead: "authorize, evaluate, validate or verify" },
  { pattern: "lanes?", instead: "worker, shard or queue" },
  { pattern: "passengers?", instead: "what it is" },
  { pattern: "the books", instead: "the database, stored state or records" },
  { pattern: "back-off", instead: "backoff" },
  { pattern: "take-overs?", instead: "takeover" },
];
