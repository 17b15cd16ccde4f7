import { adminUseCase, boundedToGroupsOf, type Caller, type PreparedChange } from "../access/access.ts";
import type { Tx } from "../db/database.ts";
import { lockDevice, resolveTopics } from "../devices/devices.ts";
import { addMs, MINUTE } from "../lib/clock.ts";
import { MusterError } from "../lib/errors.ts";
import { isDeviceId, isUuid } from "../lib/ids.ts";
import { invalidRequest, notFound } from "../lib/request-errors.ts";
import { countWaiting, deleteCommand, insertCommand, subscribeTemplatesOf } from "./command-store.ts";
import type { CommandsDeps } from "./deps.ts";

export interface NewCommand {
  /** A whole topic that the device's type allows it to subscribe to. */
  topic: string;
  payload: string;
  /** One day if omitted. */
  expiresInMinutes?: number | undefined;
}

/** A pending command. */
export interface CommandRecord {
  id: string;
  deviceId: string;
  topic: string;
  payload: string;
  createdAt: Date;
  createdBy: string;
  expiresAt: Date;
}

const USUAL_MINUTES = 24 * 60;

/**
 * Queues a message for a device. The device receives it with QoS 1 as soon as it subscribes to the topic, now or when
 * it next connects, in whichever process. The message is deleted when the device acknowledges it or when it expires.
 *
 * @throws {MusterError} not_found; invalid_request (the topic in `detail`); quota_exceeded (too many are pending)
 */
export const sendCommand = adminUseCase(
  { role: "operator" },
  "device.send-command",
  async (deps: CommandsDeps, caller, deviceId: string, input: NewCommand): Promise<PreparedChange<CommandRecord>> => {
    if (!isDeviceId(deviceId)) throw notFound("device");
    const { topic } = input;
    const payload = Buffer.from(input.payload, "utf8");
    const minutes = checkCommand(deps, payload.length, input.expiresInMinutes ?? USUAL_MINUTES);
    const now = deps.clock.now();
    const id = deps.ids.uuid(now);
    const expiresAt = addMs(now, minutes * MINUTE);
    return {
      change: async (tx) => {
        const uid = await lockVisible(tx, caller, deviceId);
        await checkTopic(tx, caller, { uid, deviceId }, topic);
        const most = deps.limits.commandsOfDevice;
        if ((await countWaiting(tx, uid, now)) >= most) throw tooManyCommands(most);
        const row = { id, topic, payload, created_at: now, created_by: caller.actor, expires_at: expiresAt };
        await insertCommand(tx, { ...row, tenant_id: caller.tenantId, device_uid: uid });
        const after = { command: id, topic, bytes: payload.length, expiresAt };
        const record = { topic, payload: input.payload, createdAt: now, createdBy: caller.actor, expiresAt };
        return { target: deviceId, after, result: { id, deviceId, ...record } };
      },
    };
  },
);

/**
 * Deletes a pending command of a device. A command that was sent but not acknowledged may have reached the device.
 *
 * @throws {MusterError} not_found
 */
export const cancelCommand = adminUseCase(
  { role: "operator" },
  "device.cancel-command",
  async ({ clock }: CommandsDeps, caller, deviceId: string, id: string): Promise<PreparedChange<void>> => {
    if (!isDeviceId(deviceId)) throw notFound("device");
    return {
      change: async (tx) => {
        const uid = await lockVisible(tx, caller, deviceId);
        const topic = isUuid(id) ? await deleteCommand(tx, uid, id, clock.now()) : undefined;
        if (topic === undefined) throw notFound("command");
        return { target: deviceId, before: { command: id, topic }, result: undefined };
      },
    };
  },
);

/** Checks a payload's size and a command's lifetime. @returns the minutes @throws {MusterError} invalid_request */
function checkCommand({ limits }: CommandsDeps, bytes: number, minutes: number): number {
  const { commandBytes, commandMinutes } = limits;
  if (bytes > commandBytes)
    throw invalidRequest(`The payload of a command has at most ${commandBytes} bytes; this one has ${bytes}.`);
  if (!Number.isInteger(minutes) || minutes < 1 || minutes > commandMinutes)
    throw invalidRequest(`A command expires after 1 to ${commandMinutes} minutes.`, "expiresInMinutes");
  return minutes;
}

async function lockVisible(tx: Tx, caller: Caller, deviceId: string): Promise<string> {
  const uid = await lockDevice(tx, caller.tenantId, deviceId, boundedToGroupsOf(caller));
  if (uid === undefined) throw notFound("device");
  return uid;
}

/** Checks that the device may subscribe to the topic: on any other, a command would never be delivered. */
async function checkTopic(
  tx: Tx,
  { tenantSlug }: Caller,
  { uid, deviceId }: { uid: string; deviceId: string },
  topic: string,
): Promise<void> {
  const topics = resolveTopics(await subscribeTemplatesOf(tx, uid), tenantSlug, deviceId);
  if (topics.includes(topic)) return;
  const listed = topics.length === 0 ? "none" : topics.join(", ");
  throw invalidRequest(
    `Send a command on a topic that the type of the device lists for subscriptions: ${listed}.`,
    topic,
  );
}

function tooManyCommands(most: number): MusterError<"quota_exceeded"> {
  return new MusterError(
    "quota_exceeded",
    `${most} commands wait for the device already, as many as may. Cancel some, or wait until it has acknowledged them.`,
    { extra: { quota: "commandsOfDevice", limit: most } },
  );
}
