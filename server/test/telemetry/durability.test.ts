import { describe } from "node:test";
import { onPostgres } from "../harness/database/database.ts";
import { killRules } from "./durability/suite-kills.ts";

const KILLS = onPostgres
  ? ({ count: 10, acknowledged: [50, 400] } as const)
  : ({ count: 1, acknowledged: [50, 900] } as const);

describe("a service that stores directly", () => killRules({ ...KILLS, ingest: "direct" }));
