/** The choices of the signed-in user for times; null: as the browser and the language do. */
export interface TimeChoices {
  /** An IANA name. */
  timeZone: string | null;
  clock: "12" | "24" | null;
}

let choices: TimeChoices = { timeZone: null, clock: null };

/** Applies the user's choices to every time that is formatted from now on. */
export function setTimeChoices({ timeZone, clock }: TimeChoices): void {
  choices = { timeZone: timeZone !== null && isKnown(timeZone) ? timeZone : null, clock };
}

/** Returns whether the browser knows the zone; an older one may not. */
function isKnown(timeZone: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat("en", { timeZone }));
  } catch {
    return false;
  }
}

/** Returns the user's own zone: the chosen one, or that of the browser. */
export function ownZone(): string {
  return choices.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Returns the options of `Intl` for the user's choices. */
export function timeOptions(): Intl.DateTimeFormatOptions {
  const { timeZone, clock } = choices;
  return { ...(timeZone ? { timeZone } : {}), ...(clock ? { hourCycle: clock === "12" ? "h12" : "h23" } : {}) };
}

/** Returns a function from an instant to the wall clock of `zone`, as `Date.UTC` counts it. */
export function wallClock(zone: string): (at: number) => number {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  return (at) => {
    const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
    const { year = 0, month = 1, day, hour, minute, second } = parts;
    return Date.UTC(year, month - 1, day, hour, minute, second);
  };
}

/** Returns `2026-11-22T14:30:05` in the user's own zone, for fields and addresses. */
export function localText(at: number): string {
  return new Date(wallClock(ownZone())(at)).toISOString().slice(0, 19);
}

/** Returns the instant of `2026-11-22T14:30` in the user's own zone, in milliseconds; undefined for any other text. */
export function instantIn(local: string): number | undefined {
  const wall = Date.parse(/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(local) ? `${local}Z` : "");
  if (Number.isNaN(wall)) return undefined;
  const wallOf = wallClock(ownZone());
  // The second step corrects the first where the offset changes in between.
  const first = wall - (wallOf(wall) - wall);
  return first - (wallOf(first) - wall);
}
