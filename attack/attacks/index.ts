import type { Attack } from "../attack.ts";
import { folding } from "./folding.ts";
import { handshakeFloods } from "./front-door/handshake-floods.ts";
import { insiders } from "./front-door/insiders.ts";
import { unauthenticatedClients } from "./front-door/unauthenticated.ts";
import { greedy } from "./greedy.ts";
import { handshakes } from "./handshakes.ts";
import { metrics } from "./metrics.ts";
import { qos2 } from "./qos2.ts";
import { readings } from "./readings.ts";
import { refusals } from "./refusals.ts";
import { searches } from "./searches.ts";
import { silence } from "./silence.ts";
import { webhooks } from "./webhooks.ts";

/** Attacks on the HTTPS and MQTT ports themselves: with several workers each process has a front door of its own. */
export const FRONT_DOOR: readonly Attack[] = [...handshakeFloods, ...unauthenticatedClients, ...insiders];

/** Every attack, in the order of the report. The last ones use up what an address may get. */
export const ATTACKS: readonly Attack[] = [
  readings,
  greedy,
  qos2,
  metrics,
  refusals,
  silence,
  handshakes,
  ...FRONT_DOOR,
  searches,
  webhooks,
  folding,
];

export function attackNamed(name: string): Attack {
  const found = ATTACKS.find((attack) => attack.name === name);
  if (!found) throw new Error(`Unknown attack ${name}. Attacks: ${ATTACKS.map((attack) => attack.name).join(", ")}`);
  return found;
}

/** The attacks whose name contains one of the words; all without words. @throws Error for a word that selects none */
export function attacksMatching(words: readonly string[]): readonly Attack[] {
  for (const word of words) if (!ATTACKS.some(({ name }) => name.includes(word))) attackNamed(word);
  return ATTACKS.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
}
