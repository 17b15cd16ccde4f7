/** Starts an artifact on the data that version 1.0 left (`server/test/fixtures/installation-1.0`). */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { fillFolder } from "../../../server/test/harness/database/database.ts";
import type { Installation } from "./service.ts";
import { during, get } from "./story.ts";

const FIXTURE = "server/test/fixtures/installation-1.0";
/** The master key of the test harness, with which the fixture was made. */
export const MASTER_KEY = Buffer.alloc(32, 7).toString("base64");

interface Left {
  apiKey: string;
  records: { devices: { id: string }[] };
}

/** Puts the data folder of 1.0 into the installation's and finds the devices again. */
export async function upgradeEmbedded(root: string, installation: Installation): Promise<void> {
  await unpackDataFolder(root, installation.env.MUSTER_DATA_DIR!);
  await findDevices(root, installation);
}

/** Writes the data folder that 1.0 left. */
export async function unpackDataFolder(root: string, dataDir: string): Promise<void> {
  const archive = brotliDecompressSync(readFileSync(join(root, FIXTURE, "data-folder.tar.br")));
  await fillFolder(dataDir, new Blob([new Uint8Array(archive)]));
}

/** Returns the PostgreSQL dump that 1.0 left. */
export function dumpOfPostgres(root: string): string {
  return brotliDecompressSync(readFileSync(join(root, FIXTURE, "database.sql.br"))).toString();
}

/** Starts the installation on data of 1.0 and compares its devices with those that 1.0 listed. */
export async function findDevices(
  root: string,
  installation: Installation,
  record: "embedded.json" | "postgres.json" = "embedded.json",
): Promise<void> {
  const left: Left = JSON.parse(readFileSync(join(root, FIXTURE, record), "utf8"));
  const env = { ...installation.env, MUSTER_MASTER_KEY: MASTER_KEY };
  const ids = (devices: { id: string }[]) => devices.map(({ id }) => id).sort();
  await during({ ...installation, env }, async ({ httpUrl, caFile }) => {
    const answer = await get(`${httpUrl}/api/v1/devices?limit=200`, { apiKey: left.apiKey, caFile });
    assert.deepEqual(ids((answer as { items: { id: string }[] }).items), ids(left.records.devices));
  });
}
