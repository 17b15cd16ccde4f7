import { describe } from "node:test";
import { createEngine } from "../../../src/broker/engine/engine.ts";
import { onPostgres } from "../../harness/database/database.ts";
import { natsMissing } from "../../harness/processes/nats-server.ts";
import { policySuite } from "./policy-suite.ts";

/** The rules of one node apply to several on one database. The embedded database admits one process. */
if (onPostgres) {
  policySuite("two workers", { createEngine, nodes: 2, bus: "sockets", ingest: "direct" });
  describe("with NATS", { skip: natsMissing ?? false }, () =>
    policySuite("three nodes", { createEngine, nodes: 3, bus: "nats", ingest: "direct" }),
  );
}
