import { after, before, describe } from "node:test";
import { onPostgres } from "../../harness/database/database.ts";
import { natsMissing } from "../../harness/processes/nats-server.ts";
import { openStreamedFixture, type TelemetryFixture } from "../../harness/telemetry.ts";
import { rejectedRules } from "../suite-rejected.ts";
import { storingRules } from "../suite-storing.ts";

/** The stored messages are the same as where they are stored before the acknowledgement. */
describe("three processes with MUSTER_INGEST=stream", { skip: natsMissing ?? false }, () => {
  if (!onPostgres) return;
  let fixture: TelemetryFixture;
  before(async () => {
    fixture = await openStreamedFixture();
  });
  after(() => fixture.close());

  describe("what is stored", () => storingRules(() => fixture));
  describe("rejected messages", () => rejectedRules(() => fixture));
});
