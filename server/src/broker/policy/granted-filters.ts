/**
 * The topic filters of a client. A filter grants itself and every narrower one: `t/acme/#` grants `t/acme/telemetry/+`.
 * The levels of filters with wildcards are split once, at CONNECT; a listed filter is found without comparing levels.
 */
export class GrantedFilters {
  readonly #listed: ReadonlySet<string>;
  readonly #wildcards: readonly (readonly string[])[];

  constructor(filters: readonly string[]) {
    this.#listed = new Set(filters);
    this.#wildcards = filters.filter((filter) => /[+#]/.test(filter)).map((filter) => filter.split("/"));
  }

  /** Returns whether every topic that `filter` matches is matched by one of the granted filters. */
  covers(filter: string): boolean {
    if (this.#listed.has(filter)) return true;
    if (this.#wildcards.length === 0) return false;
    const levels = filter.split("/");
    return this.#wildcards.some((granted) => isNarrower(levels, granted));
  }
}

/** No filters. */
export const NO_FILTERS = new GrantedFilters([]);

/** `#` includes its parent level (MQTT 5, 4.7.1.2); `+` is one level, so `#` exceeds it. */
function isNarrower(asked: readonly string[], granted: readonly string[]): boolean {
  for (const [at, level] of granted.entries()) {
    if (level === "#") return true;
    const wanted = asked[at];
    if (wanted === undefined || wanted === "#" || (level !== "+" && level !== wanted)) return false;
  }
  return asked.length === granted.length;
}
