/** The announced end of an operation (docs/upgrading.md, Deprecation). */
export interface Deprecation {
  /** The time from which it is deprecated. */
  since: Date;
  /** The time at which it ends, at least twelve months later. */
  sunset: Date;
  /** The `operationId` of the operation to use instead. */
  successor: string;
}

/**
 * Returns a route whose description begins with its announced end.
 *
 * @throws Error if programs have less than twelve months to change
 */
export function announced<R extends { description: string; deprecation?: Deprecation }>(route: R): R {
  if (!route.deprecation) return route;
  const { since, sunset, successor } = route.deprecation;
  const earliest = new Date(since);
  earliest.setUTCFullYear(since.getUTCFullYear() + 1);
  if (sunset < earliest)
    throw new Error(`an operation deprecated since ${dayOf(since)} ends a year later at the earliest`);
  const end = `Deprecated since ${dayOf(since)}; it ends on ${dayOf(sunset)}. Use \`${successor}\` instead.`;
  return { ...route, description: `${end} ${route.description}` };
}

/** Returns the headers of every answer of a deprecated operation (RFC 9745 2.1, RFC 8594 3). */
export function deprecationHeaders({ since, sunset }: Deprecation): { deprecation: string; sunset: string } {
  return { deprecation: `@${Math.floor(since.getTime() / 1000)}`, sunset: sunset.toUTCString() };
}

/** The announced end of an operation within an answer of several operations, whose headers cannot say it. */
export interface EndNotice {
  since: string;
  sunset: string;
  successor: string;
}

/** Returns the announced end of a route as an object to spread into the outcome of its operation. */
export function endNotice({ deprecation }: { deprecation?: Deprecation }): { deprecation?: EndNotice } {
  if (!deprecation) return {};
  const { since, sunset, successor } = deprecation;
  return { deprecation: { since: since.toISOString(), sunset: sunset.toISOString(), successor } };
}

function dayOf(time: Date): string {
  return time.toISOString().slice(0, "2000-01-01".length);
}
