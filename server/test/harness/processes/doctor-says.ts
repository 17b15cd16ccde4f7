import assert from "node:assert/strict";
import type { TestServer } from "../server.ts";

/**
 * Asserts what the doctor reports on the service's connection to NATS and on the stream.
 * @param expected the problem of each, or undefined for none
 */
export async function assertDoctorSays(server: TestServer, expected: readonly (RegExp | undefined)[]): Promise<void> {
  const { healthy, checks } = await server.app.doctor.examine({ deep: false });
  const ofNats = checks.filter(({ name }) => /connected to NATS|the ingest stream accepts messages/.test(name));
  assert.equal(ofNats.length, expected.length);
  for (const [at, { ok, level, examples }] of ofNats.entries()) {
    assert.deepEqual([ok, level, examples.length], [!expected[at], "must", expected[at] ? 1 : 0]);
    if (expected[at]) assert.match(examples[0]!, expected[at]);
  }
  assert.ok(!healthy || ofNats.every(({ ok }) => ok));
}
