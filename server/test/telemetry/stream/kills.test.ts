import { describe } from "node:test";
import { onPostgres } from "../../harness/database/database.ts";
import { natsMissing } from "../../harness/processes/nats-server.ts";
import { killRules } from "../durability/suite-kills.ts";

describe("a service with MUSTER_INGEST=stream", { skip: natsMissing ?? false }, () => {
  if (onPostgres) killRules({ count: 4, acknowledged: [50, 400], ingest: "stream" });
});
