import { describe } from "node:test";
import { killRules } from "./durability/suite-kills.ts";
import { onPostgres } from "./harness/database.ts";
import { natsMissing } from "./harness/nats-server.ts";

describe("a service with MUSTER_INGEST=stream", { skip: natsMissing ?? false }, () => {
  if (onPostgres) killRules({ count: 4, acknowledged: [50, 400], ingest: "stream" });
});
