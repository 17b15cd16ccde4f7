import { resolveTopics } from "../devices/devices.ts";
import { addMs, MINUTE } from "../lib/clock.ts";
import { MusterError } from "../lib/errors.ts";
import { invalidRequest } from "../lib/request-errors.ts";
import type { CommandsDeps } from "./deps.ts";

export interface NewCommand {
  /** A whole topic that the device's type allows it to subscribe to. */
  topic: string;
  payload: string;
  /** The form of `payload`; `text` if omitted. */
  encoding?: "text" | "base64" | undefined;
  /** One day if omitted. */
  expiresInMinutes?: number | undefined;
}

/** The columns of a command that its request determines. */
export interface CheckedCommand {
  topic: string;
  payload: Buffer;
  created_at: Date;
  created_by: string;
  expires_at: Date;
  now: Date;
}

const USUAL_MINUTES = 24 * 60;

/** Checks a payload and a lifetime. @throws {MusterError} invalid_request */
export function checkCommand({ limits, clock }: CommandsDeps, actor: string, input: NewCommand): CheckedCommand {
  const { topic, encoding = "text", expiresInMinutes: minutes = USUAL_MINUTES } = input;
  const { commandBytes, commandMinutes } = limits;
  const payload = bytesOf(input.payload, encoding);
  if (payload.length > commandBytes)
    throw invalidRequest(`The payload of a command has at most ${commandBytes} bytes; this one has ${payload.length}.`);
  if (!Number.isInteger(minutes) || minutes < 1 || minutes > commandMinutes)
    throw invalidRequest(`A command expires after 1 to ${commandMinutes} minutes.`, "expiresInMinutes");
  const now = clock.now();
  const expires_at = addMs(now, minutes * MINUTE);
  return { topic, payload, created_at: now, created_by: actor, expires_at, now };
}

function bytesOf(payload: string, encoding: "text" | "base64"): Buffer {
  if (encoding === "text") return Buffer.from(payload, "utf8");
  const bytes = Buffer.from(payload, "base64");
  if (bytes.toString("base64") !== payload)
    throw invalidRequest("payload must be base64 (RFC 4648 section 4)", "payload");
  return bytes;
}

/**
 * Requires that the device may subscribe to the topic: on any other, a command would never be delivered.
 *
 * @throws {MusterError} invalid_request with the topic in `detail`
 */
export function requireTopic(
  templates: readonly string[],
  tenantSlug: string,
  { deviceId, topic }: { deviceId: string; topic: string },
): void {
  const topics = resolveTopics(templates, tenantSlug, deviceId);
  if (topics.includes(topic)) return;
  const listed = topics.length === 0 ? "none" : topics.join(", ");
  throw invalidRequest(
    `Send a command on a topic that the type of the device lists for subscriptions: ${listed}.`,
    topic,
  );
}

export function tooManyCommands(most: number): MusterError<"quota_exceeded"> {
  return new MusterError(
    "quota_exceeded",
    `${most} commands wait for the device already, as many as may. Cancel some, or wait until it has acknowledged them.`,
    { extra: { quota: "commandsOfDevice", limit: most } },
  );
}
