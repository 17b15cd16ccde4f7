import { describe } from "node:test";
import type { CreateEngine } from "../../src/broker/engine.ts";
import { connectRules } from "./suite-connect.ts";
import { durabilityRules } from "./suite-durability.ts";
import { passwordRules } from "./suite-password.ts";
import { retainedRules } from "./suite-retained.ts";
import { sessionRules } from "./suite-sessions.ts";
import { topicRules } from "./suite-topics.ts";

/**
 * The rules that every engine must keep under the production policy (spec 4.10); takes the function that creates the engine. It uses
 * the engine's interface and MQTT over TLS, nothing else of the engine.
 */
export function policySuite(name: string, createEngine: CreateEngine): void {
  describe(`${name}: who may connect`, () => connectRules(createEngine));
  describe(`${name}: what may be published and received`, () => topicRules(createEngine));
  describe(`${name}: retained messages`, () => retainedRules(createEngine));
  describe(`${name}: sessions, takeover and drops`, () => sessionRules(createEngine));
  describe(`${name}: clients with a password`, () => passwordRules(createEngine));
  describe(`${name}: acknowledged means stored`, () => durabilityRules(createEngine));
}
