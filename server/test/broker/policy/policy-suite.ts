import { describe } from "node:test";
import type { CreateEngine } from "../../../src/broker/engine-interface.ts";
import { isAlone, type Place, placeOf } from "../place.ts";
import { connectRules } from "./suite-connect.ts";
import { durabilityRules } from "./suite-durability.ts";
import { passwordRules } from "./suite-password.ts";
import { retainedRules } from "./suite-retained.ts";
import { sessionRules } from "./suite-sessions.ts";
import { topicRules } from "./suite-topics.ts";

/**
 * Declares the tests of the rules that every engine must keep under the production policy (spec 4.10). Its argument is
 * the function that creates the engine, or the place to run it. The tests use only the engine's interface and MQTT over
 * TLS.
 */
export function policySuite(name: string, given: CreateEngine | Place): void {
  const place = placeOf(given);
  describe(`${name}: who may connect`, () => connectRules(place));
  describe(`${name}: what may be published and received`, () => topicRules(place));
  describe(`${name}: retained messages`, () => retainedRules(place));
  describe(`${name}: sessions, takeover and drops`, () => sessionRules(place));
  describe(`${name}: clients with a password`, () => passwordRules(place));
  // These delay the policy's storage themselves, in one engine.
  if (isAlone(place)) describe(`${name}: acknowledged means stored`, () => durabilityRules(place));
}
