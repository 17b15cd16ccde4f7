import { randomIds } from "../../src/lib/ids.ts";
import type { TelemetryFixture } from "./telemetry.ts";

/** Does `work` while the database lists a node of an earlier version, of this schema. */
export async function besideEarlierNode<Result>(
  { clock, query }: Pick<TelemetryFixture, "clock" | "query">,
  schema: number,
  work: () => Promise<Result>,
): Promise<Result> {
  const id = randomIds.uuid(clock.now());
  await query(
    "INSERT INTO broker_nodes (id, host, schema_number, started_at, beat_at) VALUES ($1, 'earlier', $2, now(), now())",
    [id, schema],
  );
  try {
    return await work();
  } finally {
    await query("DELETE FROM broker_nodes WHERE id = $1", [id]);
  }
}
