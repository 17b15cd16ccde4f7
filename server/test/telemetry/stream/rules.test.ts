import { after, before, describe } from "node:test";
import { lifeCycleRules } from "../../anomalies/suite-life-cycle.ts";
import { onPostgres } from "../../harness/database/database.ts";
import { natsMissing } from "../../harness/processes/nats-server.ts";
import { type Environment, startEnvironment } from "../../rules/environment.ts";
import { assignmentRules } from "../../rules/suite-assignments.ts";
import { evaluationRules } from "../../rules/suite-evaluation.ts";
import { packChangeRules } from "../../rules/suite-pack-changes.ts";
import { referenceRules } from "../../rules/suite-reference.ts";

/** Rules and anomalies are the same where three nodes store messages from the stream. */
describe("three nodes with MUSTER_INGEST=stream", { skip: natsMissing ?? false }, () => {
  if (!onPostgres) return;
  let env: Environment;
  before(async () => {
    env = await startEnvironment("stream");
  });
  after(() => env.stop());

  describe("evaluation", () => evaluationRules(() => env));
  describe("assignment of packs", () => assignmentRules(() => env));
  describe("changes of packs", () => packChangeRules(() => env));
  describe("against the reference evaluator", () => referenceRules(() => env));
  describe("anomalies", () => lifeCycleRules(() => env));
});
