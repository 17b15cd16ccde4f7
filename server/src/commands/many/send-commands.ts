import { adminUseCase, boundedToGroupsOf, type Caller, type PreparedChange } from "../../access/access.ts";
import type { Db, Tx } from "../../db/database.ts";
import { type DeviceSelection, type LockedDevice, lockDevices } from "../../devices/devices.ts";
import { isMusterError } from "../../lib/errors.ts";
import { isDeviceId, isUuid } from "../../lib/ids.ts";
import { stored } from "../../lib/limits/stored.ts";
import { TenantTurns } from "../../lib/limits/tenant-turns.ts";
import { invalidRequest, notFound, rateLimited } from "../../lib/request-errors.ts";
import { type CheckedCommand, checkCommand, type NewCommand, requireTopic, tooManyCommands } from "../check-command.ts";
import { deleteOldest } from "../command-store.ts";
import type { CommandsDeps } from "../deps.ts";
import { countWaitingOf, insertCommands } from "./commands-store.ts";

/** A command for many devices: those named, or all of a group or a type; exactly one of these is given. */
export interface NewCommands extends NewCommand {
  deviceIds?: readonly string[] | undefined;
  groupId?: string | undefined;
  deviceTypeId?: string | undefined;
}

/** The outcome for one device. */
export interface CommandOutcome {
  deviceId: string;
  outcome: "queued" | "refused";
  commandId: string | null;
  /** The code and the message of the refusal. */
  error: string | null;
  message: string | null;
}

/** The commands that one request queued, under a common id. */
export interface CommandBatch {
  id: string;
  queued: number;
  refused: number;
  items: CommandOutcome[];
}

const MOST = stored.devicesOfCommand.value;
const MOST_BYTES = stored.commandBytesOfRequest.value;
const RETRY_SECONDS = 2;
const turns = new TenantTurns();

/**
 * Queues the same message for many devices, in one transaction. `{deviceId}` as a segment of the topic stands for the
 * id of each device. A refused device does not affect the others.
 *
 * @returns the outcome of each device, in the order of `deviceIds` or of their ids
 * @throws {MusterError} invalid_request, also for more than 500 devices; rate_limited: nothing was queued
 */
export const sendCommands = adminUseCase(
  { scope: "commands:write", role: "operator" },
  "device.send-commands",
  async (deps: CommandsDeps, caller, input: NewCommands): Promise<PreparedChange<CommandBatch>> => {
    const { now, ...command } = checkCommand(deps, caller.actor, input);
    const selection = checkSelection(input);
    const id = deps.ids.uuid(now);
    return {
      // Concurrent requests of a tenant would take the connections of all tenants.
      admitted: (run) => oneAtATime(deps.database.db, caller.tenantId, () => run(deps.database.db, null)),
      change: async (tx) => {
        const locked = await lockDevices(tx, caller.tenantId, selection, {
          viewer: boundedToGroupsOf(caller),
          most: MOST,
        });
        requireSome(locked, selection);
        requireBytes(command.payload.length * locked.length);
        const batch = { id, now, most: deps.limits.commandsOfDevice };
        const items = await queue(tx, { deps, caller, locked, command, batch, named: input.deviceIds });
        const queued = items.filter(({ outcome }) => outcome === "queued");
        const { topic, expires_at: expiresAt } = command;
        const after = {
          topic,
          bytes: command.payload.length,
          expiresAt,
          devices: queued.map(({ deviceId }) => deviceId),
        };
        const result = { id, queued: queued.length, refused: items.length - queued.length, items };
        const written = { resource: "command-batch", id, result: queued.length > 0 ? "created" : "unchanged" } as const;
        return { target: id, after, written, unchanged: queued.length === 0, result };
      },
    };
  },
);

async function oneAtATime<T>(db: Db, tenantId: string, work: () => Promise<T>): Promise<T> {
  if (turns.count(db, tenantId) > 0)
    throw rateLimited("commands to many devices of the tenant are being queued", RETRY_SECONDS);
  return await turns.take(db, tenantId, work);
}

function checkSelection({ deviceIds, groupId, deviceTypeId }: NewCommands): DeviceSelection {
  const given = [deviceIds, groupId, deviceTypeId].filter((each) => each !== undefined);
  if (given.length !== 1) throw invalidRequest("give exactly one of deviceIds, groupId and deviceTypeId", "deviceIds");
  if (groupId !== undefined) return { groupId: requireUuid(groupId) };
  if (deviceTypeId !== undefined) return { deviceTypeId: requireUuid(deviceTypeId) };
  if (deviceIds!.length === 0 || deviceIds!.length > MOST)
    throw invalidRequest(`deviceIds must have 1 to ${MOST} devices`, "deviceIds");
  return { ids: [...new Set(deviceIds)].filter(isDeviceId) };
}

function requireUuid(id: string): string {
  if (!isUuid(id)) throw noDevices(id);
  return id;
}

function requireSome(locked: readonly LockedDevice[], selection: DeviceSelection): void {
  if (locked.length > MOST)
    throw invalidRequest(`a request sends a command to at most ${MOST} devices, and the selection has more`);
  if (locked.length === 0 && "groupId" in selection) throw noDevices(selection.groupId);
  if (locked.length === 0 && "deviceTypeId" in selection) throw noDevices(selection.deviceTypeId);
}

function noDevices(id: string) {
  return invalidRequest("There is no such group or device type, or it has no devices.", id);
}

function requireBytes(bytes: number): void {
  if (bytes > MOST_BYTES)
    throw invalidRequest(
      `the payloads of all devices together have ${bytes} bytes, and at most ${MOST_BYTES} may be sent`,
    );
}

interface Queued {
  deps: CommandsDeps;
  caller: Caller;
  locked: readonly LockedDevice[];
  command: Omit<CheckedCommand, "now">;
  batch: { id: string; now: Date; most: number };
  /** The requested ids. */
  named: readonly string[] | undefined;
}

async function queue(tx: Tx, { deps, caller, locked, command, batch, named }: Queued): Promise<CommandOutcome[]> {
  const waiting = await countWaitingOf(
    tx,
    locked.map(({ uid }) => uid),
    batch.now,
  );
  const outcomes = new Map<string, CommandOutcome>();
  const rows: { id: string; device_uid: string; topic: string }[] = [];
  for (const { uid, id: deviceId, subscribeTopics } of locked) {
    const topic = command.topic.replace(/(?<=^|\/)\{deviceId\}(?=\/|$)/g, () => deviceId);
    const refusal = refusalOf(() => {
      requireTopic(subscribeTopics, caller.tenantSlug, { deviceId, topic });
      if ((waiting.get(uid) ?? 0) >= batch.most) throw tooManyCommands(batch.most);
    });
    const id = deps.ids.uuid(batch.now);
    if (refusal === undefined) rows.push({ id, device_uid: uid, topic });
    outcomes.set(deviceId, refusal ? refused(deviceId, refusal) : queuedFor(deviceId, id));
  }
  await insertCommands(tx, { ...command, tenant_id: caller.tenantId, batch_id: batch.id }, rows);
  await deleteOldest(
    tx,
    rows.map((row) => row.device_uid),
  );
  const order = named === undefined ? [...outcomes.keys()].sort() : [...new Set(named)];
  return order.map((id) => outcomes.get(id) ?? refused(id, notFound("device")));
}

function queuedFor(deviceId: string, commandId: string): CommandOutcome {
  return { deviceId, outcome: "queued", commandId, error: null, message: null };
}

function refused(deviceId: string, { code, message }: { code: string; message: string }): CommandOutcome {
  return { deviceId, outcome: "refused", commandId: null, error: code, message };
}

function refusalOf(check: () => void): { code: string; message: string } | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (isMusterError(error)) return error;
    throw error;
  }
}
