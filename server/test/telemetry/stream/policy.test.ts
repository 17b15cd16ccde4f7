import { describe } from "node:test";
import { createEngine } from "../../../src/broker/engine/engine.ts";
import { policySuite } from "../../broker/policy/policy-suite.ts";
import { onPostgres } from "../../harness/database/database.ts";
import { natsMissing } from "../../harness/processes/nats-server.ts";

/** The rules apply where messages are acknowledged once the ingest stream has them. */
describe("MUSTER_INGEST=stream", { skip: natsMissing ?? false }, () => {
  if (!onPostgres) return;
  policySuite("one process", { createEngine, nodes: 1, bus: "nats", ingest: "stream" });
  policySuite("three nodes", { createEngine, nodes: 3, bus: "nats", ingest: "stream" });
});
