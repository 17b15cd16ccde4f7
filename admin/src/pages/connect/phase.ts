import type { Schemas } from "../../api/client.ts";

/** The phase of a device: its last attempt was refused, or the state of its connection. */
export type Phase = "never_seen" | "refused" | "online" | "offline";

/** A refused topic closes the connection: the session ends at most this long after the refusal. */
const CLOSING_MS = 5000;

/** Returns the phase of a device. A refusal counts until the device connects, or publishes after it. */
export function phaseOf(
  device: Pick<Schemas["Device"], "connectivity"> | undefined,
  refusal: Pick<Schemas["Refusal"], "lastAt"> | undefined,
  reading: { receivedAt: string } | undefined,
): Phase {
  const { status, since } = device?.connectivity ?? { status: "never_seen" as const, since: null };
  if (status === "online" || !refusal) return status;
  const refusedAt = Date.parse(refusal.lastAt);
  const published = reading !== undefined && Date.parse(reading.receivedAt) >= refusedAt;
  const endedLater = since !== null && Date.parse(since) > refusedAt + CLOSING_MS;
  return published || endedLater ? status : "refused";
}
