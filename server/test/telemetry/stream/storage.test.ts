import { after, before, describe } from "node:test";
import { onPostgres } from "../../harness/database/database.ts";
import { natsMissing } from "../../harness/processes/nats-server.ts";
import { openStreamedFixture, type StreamedFixture } from "../../harness/telemetry.ts";
import { chunkRules } from "../hours/suite-chunks.ts";
import { rollUpRules } from "../hours/suite-roll-up.ts";
import { deletionRules } from "../suite-deletion.ts";
import { waitingRules } from "../suite-waiting.ts";

/**
 * Messages from the stream are rolled up, put into chunks and deleted as without the stream, however late they are
 * stored.
 */
describe("telemetry of three processes with MUSTER_INGEST=stream", { skip: natsMissing ?? false }, () => {
  if (!onPostgres) return;
  let fixture: StreamedFixture;
  before(async () => {
    fixture = await openStreamedFixture();
  });
  after(() => fixture.close());

  describe("chunks", () => chunkRules(() => fixture, 3));
  describe("roll-ups", () => rollUpRules(() => fixture, 5));
  describe("deleted devices", () => deletionRules(() => fixture));
  describe("messages that wait in the stream", () => waitingRules(() => fixture));
});
