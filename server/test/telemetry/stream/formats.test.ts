import { after, before, describe } from "node:test";
import { onPostgres } from "../../harness/database/database.ts";
import { natsMissing } from "../../harness/processes/nats-server.ts";
import { openStreamedFixture, type TelemetryFixture } from "../../harness/telemetry.ts";
import { formatRules } from "../formats/suite-formats.ts";

describe("formats of device types with MUSTER_INGEST=stream", { skip: natsMissing ?? false }, () => {
  if (!onPostgres) return;
  let fixture: TelemetryFixture;
  before(async () => {
    fixture = await openStreamedFixture();
  });
  after(() => fixture.close());

  formatRules(() => fixture);
});
