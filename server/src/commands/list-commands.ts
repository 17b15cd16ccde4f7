import { boundedToGroupsOf, useCase } from "../access/access.ts";
import { isDeviceId } from "../lib/ids.ts";
import { type Page, type PageRequest, pageOfAll } from "../lib/page.ts";
import { notFound } from "../lib/request-errors.ts";
import { type CommandRow, listCommandRows } from "./command-store.ts";
import type { CommandsDeps } from "./deps.ts";
import type { CommandRecord } from "./send-command.ts";

/** Returns the pending commands of a device, oldest first. @throws {MusterError} not_found */
export const listCommands = useCase(
  { role: "operator" },
  async (
    { database, clock }: CommandsDeps,
    caller,
    deviceId: string,
    page: PageRequest,
  ): Promise<Page<CommandRecord>> => {
    const asked = { viewer: boundedToGroupsOf(caller), now: clock.now() };
    const rows = isDeviceId(deviceId)
      ? await listCommandRows(database.db, caller.tenantId, deviceId, asked)
      : undefined;
    if (rows === undefined) throw notFound("device");
    return pageOfAll(rows.map(toRecord), page);
  },
);

function toRecord(row: CommandRow): CommandRecord {
  return {
    id: row.id,
    deviceId: row.device_id,
    topic: row.topic,
    payload: row.payload.toString("utf8"),
    createdAt: row.created_at,
    createdBy: row.created_by,
    expiresAt: row.expires_at,
  };
}
