import type { Schemas } from "../../api/client.ts";

/** Where a device is now: its last attempt was refused, or it is as its connectivity says. */
export type Phase = "never_seen" | "refused" | "online" | "offline";

/** A refused topic closes the connection: the session ends this long after the refusal at most. */
const CLOSING_MS = 5000;

/** A refusal is what matters until the device connects, or has published after it. */
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
