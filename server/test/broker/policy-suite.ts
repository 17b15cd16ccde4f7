import { describe } from "node:test";
import { connectRules } from "./suite-connect.ts";
import { durabilityRules } from "./suite-durability.ts";
import { passwordRules } from "./suite-password.ts";
import { sessionRules } from "./suite-sessions.ts";
import { topicRules } from "./suite-topics.ts";
import type { MakeEngine } from "./world.ts";

/**
 * What every engine must hold under the policy (spec 4.10, broker.md): run it with the function that makes the engine.
 * It uses the engine's interface and MQTT over TLS, nothing else of the engine.
 */
export function policySuite(name: string, makeEngine: MakeEngine): void {
  describe(`${name}: who may connect`, () => connectRules(makeEngine));
  describe(`${name}: what may be published and read`, () => topicRules(makeEngine));
  describe(`${name}: sessions, takeover and drops`, () => sessionRules(makeEngine));
  describe(`${name}: clients with a password`, () => passwordRules(makeEngine));
  describe(`${name}: acknowledged means stored`, () => durabilityRules(makeEngine));
}
