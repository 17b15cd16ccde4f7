import { boundedToGroupsOf, type Caller, useCase } from "../access/access.ts";
import { isDeviceId, isUuid } from "../lib/ids.ts";
import { type Page, type PageRequest, pageOfAll } from "../lib/page.ts";
import { invalidRequest, notFound } from "../lib/request-errors.ts";
import { type CommandRecord, type CommandState, toCommandRecord } from "./command-record.ts";
import { type CommandRow, listCommandRows } from "./command-store.ts";
import type { CommandsDeps } from "./deps.ts";
import { findCommandRow, findCommandRows } from "./find-commands-store.ts";

/** Returns the pending commands of a device, oldest first. @throws {MusterError} not_found */
export const listCommands = useCase(
  { role: "operator" },
  async (deps: CommandsDeps, caller, deviceId: string, page: PageRequest): Promise<Page<CommandRecord>> => {
    const now = deps.clock.now();
    const rows = await rowsOf(deps, caller, deviceId, { now });
    return pageOfAll(
      rows.map((row) => toCommandRecord(row, now)),
      page,
    );
  },
);

/** Returns the commands of a device in any state, newest first. @throws {MusterError} not_found */
export const listCommandHistory = useCase(
  { scope: "commands:read", role: "operator" },
  async (
    deps: CommandsDeps,
    caller,
    deviceId: string,
    { state, ...page }: PageRequest & { state?: CommandState | undefined },
  ): Promise<Page<CommandRecord>> => {
    const now = deps.clock.now();
    const rows = await rowsOf(deps, caller, deviceId, { now, all: true });
    const commands = rows.map((row) => toCommandRecord(row, now));
    return pageOfAll(
      commands.filter((command) => state === undefined || command.state === state),
      page,
    );
  },
);

async function rowsOf(
  { database }: CommandsDeps,
  caller: Caller,
  deviceId: string,
  which: { now: Date; all?: boolean },
): Promise<CommandRow[]> {
  const asked = { viewer: boundedToGroupsOf(caller), ...which };
  const rows = isDeviceId(deviceId) ? await listCommandRows(database.db, caller.tenantId, deviceId, asked) : undefined;
  if (rows === undefined) throw notFound("device");
  return rows;
}

/** Returns a command of a device. @throws {MusterError} not_found */
export const getCommand = useCase(
  { scope: "commands:read", role: "operator" },
  async ({ database, clock }: CommandsDeps, caller, deviceId: string, id: string): Promise<CommandRecord> => {
    const viewer = boundedToGroupsOf(caller);
    const row =
      isDeviceId(deviceId) && isUuid(id)
        ? await findCommandRow(database.db, caller.tenantId, { deviceId, id, viewer })
        : undefined;
    if (row === undefined) throw notFound("command");
    return toCommandRecord(row, clock.now());
  },
);

/** A query for commands of all devices. */
export interface CommandSearch {
  batchId?: string | undefined;
  state?: CommandState | undefined;
  limit: number;
  /** The `next` of the previous part. */
  cursor?: string | undefined;
}

export interface CommandPart {
  items: CommandRecord[];
  /** The cursor of the next part; absent at the end. */
  next?: string;
}

/** Lists one part of the commands of visible devices, newest first. @throws {MusterError} invalid_request */
export const findCommands = useCase(
  { scope: "commands:read", role: "operator" },
  async ({ database, clock }: CommandsDeps, caller, search: CommandSearch): Promise<CommandPart> => {
    const { cursor, limit, batchId } = search;
    if (cursor !== undefined && !/^\d{1,18}$/.test(cursor)) throw invalidRequest("not a cursor of commands", "cursor");
    if (batchId !== undefined && !isUuid(batchId)) return { items: [] };
    const now = clock.now();
    const asked = { ...search, limit: limit + 1, viewer: boundedToGroupsOf(caller), now };
    const rows = await findCommandRows(database.db, caller.tenantId, asked);
    const items = rows.slice(0, limit).map((row) => toCommandRecord(row, now));
    return rows.length > limit ? { items, next: rows[limit - 1]!.position } : { items };
  },
);
