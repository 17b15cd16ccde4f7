import { Pace } from "../../lib/batching/pace.ts";

/** Which tenant's work was done last, so that the others come first. Kept by a process for each kind of work. */
export interface TenantTurn {
  /** Others, in the order of their ids, come before this tenant. */
  after: string;
  /** How much of one tenant's work is done in a turn. */
  readonly pace: Pace;
}

/** The lowest uuid, before every tenant's id. */
const START = "00000000-0000-0000-0000-000000000000";

export function newTurn(): TenantTurn {
  return { after: START, pace: new Pace() };
}

/**
 * Does some work of the tenants after the one that had the last turn, so that a tenant with much to do does not delay the others.
 *
 * @param work returns the last tenant that it worked for; `undefined` when none after the given one had work
 * @returns whether a tenant may have work left
 */
export async function takeTurn(
  turn: TenantTurn,
  work: (after: string) => Promise<string | undefined>,
): Promise<boolean> {
  const last = await work(turn.after);
  if (last === undefined && turn.after === START) return false;
  turn.after = last ?? START;
  return true;
}
