import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import { https } from "./http/https.ts";
import type { Sinks } from "./http/sinks.ts";

/** An API key may make 120 requests per minute. */
const POLL_MS = 200;

interface Group {
  unconfirmedChannels: { type: string; target: string }[];
}

/**
 * Confirms the channels of a group as their receivers do: opens the links in the mails and presses the button. Webhooks
 * answer with the challenge by themselves.
 * @param read returns the current group
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

/**
 * Submits the form of a confirmation page.
 * @returns the page in the response
 */
export async function pressConfirm(url: string, ca: string): Promise<string> {
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const { status, text } = await https(url, { method: "POST", ca, headers });
  assert.equal(status, 200, text);
  return text;
}
