import { Pace } from "../../lib/batching/pace.ts";

/** The tenant whose work was done last, so that others come next. A process has one for each kind of work. */
export interface TenantTurn {
  /** Tenants with higher ids than this one come next. */
  after: string;
  /** The amount of work per tenant in a turn. */
  readonly pace: Pace;
}

/** The lowest UUID, before every tenant's id. */
const START = "00000000-0000-0000-0000-000000000000";

export function newTurn(): TenantTurn {
  return { after: START, pace: new Pace() };
}

/**
 * Works for the tenants after the one that had the last turn, so that a tenant with much work does not delay the
 * others.
 *
 * @param work returns the last tenant it worked for, or `undefined` if no tenant after the given one had work
 * @returns whether any tenant may have work left
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
