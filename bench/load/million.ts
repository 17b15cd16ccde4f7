import pg from "pg";
import type { MusterProcess } from "../peers/muster.ts";
import { createAdministrator } from "./administrator.ts";
import { FILLING, GROUPED, SEEN_AGAIN, TYPES } from "./million-rows.ts";

const TENANT = "bench";

/** A tenant with many devices, a certificate each, types and groups. */
export interface Million {
  readonly devices: number;
  /** Cookies of an admin, and of viewers who see a hundredth and half of the devices by a group. */
  readonly cookies: Readonly<Record<"admin" | "few" | "half", string>>;
  readonly deviceTypeId: string;
  /** The groups of these viewers. */
  readonly groups: Readonly<Record<"few" | "half", string>>;
}

/** Fills a tenant directly in the database, as a restored dump does: no trigger runs. */
export async function fillMillion(muster: MusterProcess, databaseUrl: string, devices: number): Promise<Million> {
  muster.command("tenant", "create", TENANT, "--name", "Bench");
  const cookies = {
    admin: await (await createAdministrator(muster, TENANT)).newSession(),
    few: await (await createAdministrator(muster, TENANT, { role: "viewer", name: "few" })).newSession(),
    half: await (await createAdministrator(muster, TENANT, { role: "viewer", name: "half" })).newSession(),
  };
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query("SET session_replication_role = replica; SET synchronous_commit = off");
    await client.query("SELECT set_config('bench.tenant', id::text, false) FROM tenants WHERE slug = $1", [TENANT]);
    await client.query("SELECT set_config('bench.devices', $1, false)", [String(devices)]);
    for (const statement of FILLING) await client.query(statement);
    await client.query("VACUUM ANALYZE");
    await client.query(SEEN_AGAIN);
    const { rows: types } = await client.query("SELECT id FROM device_types WHERE name = $1", [TYPES[0]]);
    const { rows: groups } = await client.query("SELECT name, id FROM groups WHERE name = ANY ($1)", [GROUPED]);
    const groupIds = Object.fromEntries(groups.map(({ name, id }) => [name, id]));
    return { devices, cookies, deviceTypeId: types[0].id, groups: { few: groupIds.few, half: groupIds.half } };
  } finally {
    await client.end();
  }
}
