/**
 * Words that the code avoids, each with what to say instead: a reader who knows MQTT, X.509 and PostgreSQL should know every
 * word of a name or a sentence. `npm run check` enforces the lists (`tools/wording/`).
 */
export interface AvoidedWord {
  /** A regular expression. In `avoidedNames` it meets a name as separate lower-case words: `keyStore` is `key store`. */
  pattern: string;
  instead: string;
}

/** In names that the code declares, and in names of its files. */
export const avoidedNames: readonly AvoidedWord[] = [
  { pattern: "judg(e|es|ed|ing|ement|ements|er)", instead: "authorize, evaluate, validate or verify" },
  { pattern: "tend(s|ed|ing)?", instead: "maintain, prune or reap" },
  { pattern: "reach", instead: "faultPoint, or what it contains" },
  { pattern: "gather(s|ed|er|ing)?", instead: "batch, collect or coalesce" },
  { pattern: "lanes?", instead: "worker, shard or queue" },
  { pattern: "passengers?", instead: "what it is" },
  { pattern: "whoever|nobody|somebody|anybody|strangers?", instead: "the process, node, client, caller or tenant" },
  { pattern: "anew", instead: "rebuild, repeat or recompute" },
  { pattern: "books", instead: "state, records or database" },
  { pattern: "tell|tells|told|telling", instead: "notify, publish, page or report" },
  { pattern: "look(?! (up|ahead|behind))|looks|looked|looking", instead: "poll, check or read" },
  { pattern: "faces?", instead: "facade" },
  { pattern: "worlds?", instead: "environment or fixture" },
  { pattern: "hold|holds|held", instead: "lock, lease, queue, contain or require" },
  { pattern: "^note .+|noted", instead: "record or log" },
  {
    pattern: "(?<!keep )alive|dead(?! (letters?|lock))|die|dies|died|dying",
    instead: "live, stopped, expired or revoked",
  },
  { pattern: "placing", instead: "partition target" },
  { pattern: "kept (ms|days|soon)|keep( \\w+)? (ms|days)", instead: "retention" },
  { pattern: "passed anomal\\w+", instead: "the transition: opened, continued or resolved" },
];

/** In comments, documents and every string that is a sentence: messages, help, names of tests. */
export const avoidedPhrases: readonly AvoidedWord[] = [
  { pattern: "whoever|whomever", instead: "the process, node, client or caller" },
  { pattern: "nobody|somebody|anybody", instead: "the process, node, client, caller or user" },
  { pattern: "strangers?", instead: "a client, tenant or user that is not known" },
  { pattern: "anew", instead: "again, or rebuild and recompute" },
  { pattern: "for ever", instead: "without end, permanently or never removed" },
  { pattern: "affairs?", instead: "what it is" },
  { pattern: "passengers?", instead: "what it is" },
  { pattern: "the books", instead: "the database, stored state or records" },
  { pattern: "(is|are|was|were|be|been|being) told", instead: "who notifies whom" },
  { pattern: "look(s|ed|ing)? at", instead: "poll, check or read" },
  { pattern: "goes without", instead: "lacks" },
  { pattern: "judg(e|es|ed|ing|ement|ements|er)", instead: "authorize, evaluate, validate or verify" },
];

/** Besides, in what an operator reads: texts of commands, doctor, log lines, help of metrics and error messages. */
export const avoidedInTexts: readonly AvoidedWord[] = [
  { pattern: "tends?|tended|tending", instead: "maintain, prune or reap" },
  { pattern: "lanes?", instead: "worker, shard or queue" },
  {
    pattern: "(?<!keep[- ])alive|dead(?![- ]?letter|lock)|die|dies|died|dying",
    instead: "live, stopped, expired or revoked",
  },
  { pattern: "anyone|someone|no one|no-one", instead: "the process, node, client, caller or user" },
  { pattern: "tells?|telling", instead: "notify, publish or report" },
  { pattern: "meanwhile", instead: "while what lasts" },
];
