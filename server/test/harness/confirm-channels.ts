import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import { https } from "./https.ts";
import type { Sinks } from "./sinks.ts";

/** An API key has 120 requests a minute. */
const POLL_MS = 200;

interface Group {
  unconfirmedChannels: { type: string; target: string }[];
}

/**
 * Confirms the channels of a group as their receivers do: opens the links in the mails and presses the button; webhooks answer with the
 * challenge by themselves.
 *
 * @param read the group as it is now
 */
export async function confirmChannels(
  sinks: Sinks,
  ca: string,
  group: Group,
  read: () => Promise<Group>,
): Promise<void> {
  for (const { type, target } of group.unconfirmedChannels) {
    if (type !== "email") continue;
    await sinks.until(() => sinks.linkTo(target) !== undefined);
    await pressConfirm(sinks.linkTo(target)!, ca);
  }
  while ((await read()).unconfirmedChannels.length > 0) await setTimeout(POLL_MS);
}

/** Sends the form of a confirmation page. @returns the page that answers */
export async function pressConfirm(url: string, ca: string): Promise<string> {
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const { status, text } = await https(url, { method: "POST", ca, headers });
  assert.equal(status, 200, text);
  return text;
}
