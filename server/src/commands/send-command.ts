import { adminUseCase, boundedToGroupsOf, type Caller, type PreparedChange } from "../access/access.ts";
import type { Tx } from "../db/database.ts";
import { lockDevice } from "../devices/devices.ts";
import { isDeviceId, isUuid } from "../lib/ids.ts";
import { notFound } from "../lib/request-errors.ts";
import { checkCommand, type NewCommand, requireTopic, tooManyCommands } from "./check-command.ts";
import { type CommandRecord, toCommandRecord } from "./command-record.ts";
import { cancelRow, countWaiting, insertCommand, subscribeTemplatesOf } from "./command-store.ts";
import type { CommandsDeps } from "./deps.ts";
import { findCommandRow } from "./find-commands-store.ts";

export type { NewCommand } from "./check-command.ts";

/**
 * Queues a message for a device. The device receives it with QoS 1 as soon as it subscribes to the topic, now or when
 * it next connects, in whichever process. It is pending until the device acknowledges it or it expires.
 *
 * @throws {MusterError} not_found; invalid_request (the topic in `detail`); quota_exceeded (too many are pending)
 */
export const sendCommand = adminUseCase(
  { scope: "commands:write", role: "operator" },
  "device.send-command",
  async (deps: CommandsDeps, caller, deviceId: string, input: NewCommand): Promise<PreparedChange<CommandRecord>> => {
    if (!isDeviceId(deviceId)) throw notFound("device");
    const { now, ...command } = checkCommand(deps, caller.actor, input);
    const { payload, expires_at: expiresAt, topic } = command;
    const id = deps.ids.uuid(now);
    return {
      change: async (tx) => {
        const uid = await lockVisible(tx, caller, deviceId);
        requireTopic(await subscribeTemplatesOf(tx, uid), caller.tenantSlug, { deviceId, topic });
        const most = deps.limits.commandsOfDevice;
        if ((await countWaiting(tx, uid, now)) >= most) throw tooManyCommands(most);
        await insertCommand(tx, { id, ...command, tenant_id: caller.tenantId, device_uid: uid });
        const after = { command: id, topic, bytes: payload.length, expiresAt };
        const row = { id, device_id: deviceId, ...command, sent_at: null, outcome: null, ended_at: null };
        const written = { resource: "command", id, result: "created" } as const;
        return { target: deviceId, after, written, result: toCommandRecord(row, now) };
      },
    };
  },
);

/**
 * Cancels a pending command of a device. A command that was sent but not acknowledged may have reached the device.
 *
 * @throws {MusterError} not_found, also for a command that is no longer pending
 */
export const cancelCommand = adminUseCase(
  { scope: "commands:write", role: "operator" },
  "device.cancel-command",
  async ({ clock }: CommandsDeps, caller, deviceId: string, id: string): Promise<PreparedChange<void>> => {
    if (!isDeviceId(deviceId)) throw notFound("device");
    return {
      change: async (tx) => {
        const uid = await lockVisible(tx, caller, deviceId);
        if (!isUuid(id)) throw notFound("command");
        const topic = await cancelRow(tx, uid, id, clock.now());
        const isCancelled = topic === undefined && (await wasCancelled(tx, caller, deviceId, id));
        if (topic === undefined && !isCancelled) throw notFound("pending command");
        const written = { resource: "command", id, result: isCancelled ? "unchanged" : "deleted" } as const;
        const before = { command: id, topic };
        return { target: deviceId, before, written, unchanged: isCancelled, result: undefined };
      },
    };
  },
);

async function wasCancelled(tx: Tx, caller: Caller, deviceId: string, id: string): Promise<boolean> {
  const viewer = boundedToGroupsOf(caller);
  const row = await findCommandRow(tx, caller.tenantId, { deviceId, id, viewer });
  return row?.outcome === "cancelled";
}

async function lockVisible(tx: Tx, caller: Caller, deviceId: string): Promise<string> {
  const uid = await lockDevice(tx, caller.tenantId, deviceId, boundedToGroupsOf(caller));
  if (uid === undefined) throw notFound("device");
  return uid;
}
