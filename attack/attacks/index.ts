import type { Attack } from "../attack.ts";
import { folding, webhooks } from "./channels.ts";
import { greedy, metrics, qos2, readings, refusals } from "./devices.ts";
import { handshakeFloods } from "./front-door/handshake-floods.ts";
import { insiders } from "./front-door/insiders.ts";
import { slowBodies } from "./front-door/slow-bodies.ts";
import { unauthenticatedClients } from "./front-door/unauthenticated.ts";
import { handshakes } from "./handshakes.ts";
import { searches } from "./searches.ts";
import { silence } from "./silence.ts";

/** Attacks on the HTTPS and MQTT ports themselves: with several workers each process has a front door. */
export const FRONT_DOOR: readonly Attack[] = [...handshakeFloods, ...unauthenticatedClients, slowBodies, ...insiders];

const SESSIONS: readonly Attack[] = [readings, greedy, qos2, metrics, refusals, silence, handshakes];

/** Every attack, in the order of the report. The last ones use up what an address may get. */
export const ATTACKS: readonly Attack[] = [...SESSIONS, ...FRONT_DOOR, searches, webhooks, folding];

export function attackNamed(name: string): Attack {
  const found = ATTACKS.find((attack) => attack.name === name);
  if (!found) throw new Error(`Unknown attack ${name}. Attacks: ${ATTACKS.map((attack) => attack.name).join(", ")}`);
  return found;
}

/** Returns the attacks whose name contains one of the words, or all. @throws Error for a word that selects none */
export function attacksMatching(words: readonly string[]): readonly Attack[] {
  for (const word of words) if (!ATTACKS.some(({ name }) => name.includes(word))) attackNamed(word);
  return ATTACKS.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
}
