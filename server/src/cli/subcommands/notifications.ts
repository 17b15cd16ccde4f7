import type { Command } from "commander";
import { tenantSubcommand, wholeNumber } from "../options.ts";
import { columns, type Result, table } from "../output.ts";
import { type Exit, send } from "../send.ts";

/**
 * Adds `muster group on-call | webhook-secret`, `muster device on-call`, `muster channel …`, `muster notification …`.
 */
export function addNotificationSubcommands(
  { group, device, program }: { group: Command; device: Command; program: Command },
  exit: Exit,
): void {
  addWebhookSecret(group, exit);
  addOnCall(group, "group", exit);
  addOnCall(device, "device", exit);
  addChannels(program, exit);
  const notification = program.command("notification").description("Show sent e-mails and webhook messages");
  tenantSubcommand(notification, "list", "List the newest e-mails and webhook messages of a tenant with their state")
    .option("--anomaly <id>", "Only those about this anomaly")
    .option("--limit <n>", "Number of messages, 1 to 200 (default: 20)", wholeNumber)
    .action(({ json, ...body }) =>
      send(exit, {
        name: "notification.list",
        body,
        json,
        show: ({ items }) => table(DELIVERY_HEAD, items.map(deliveryCells), "No messages."),
      }),
    );
}

function addWebhookSecret(group: Command, exit: Exit): void {
  tenantSubcommand(group, "webhook-secret", "Show the secret that signs the messages to a group's webhook")
    .requiredOption("--group <id>", "Id of the group")
    .requiredOption("--target <url>", "Address of the webhook, exactly as the group has it")
    .option("--enable", "Enable the webhook again after it answered 410")
    .action(({ json, ...body }) =>
      send(exit, {
        name: "group.webhook-secret",
        body,
        json,
        show: ({ secret, disabled }) => [
          secret,
          ...(disabled
            ? ["The webhook is disabled because it answered 410. Run this with --enable to send again."]
            : []),
        ],
      }),
    );
}

function addChannels(program: Command, exit: Exit): void {
  const channel = program.command("channel").description("Show and confirm the addresses that groups notify");
  tenantSubcommand(channel, "list", "List the addresses of a tenant's channels and whether they are confirmed").action(
    ({ json, ...body }) =>
      send(exit, {
        name: "channel.list",
        body,
        json,
        show: ({ items }) => table(CHANNEL_HEAD, items.map(channelCells), "No channels."),
      }),
  );
  tenantSubcommand(channel, "request", "Send another confirmation link to an unconfirmed channel")
    .requiredOption("--group <id>", "Id of the group")
    .requiredOption("--target <address>", "Address of the channel, exactly as the group has it")
    .action(({ json, ...body }) =>
      send(exit, {
        name: "channel.request",
        body,
        json,
        show: ({ confirmed }) => [
          confirmed ? "The channel is confirmed." : "Another link will be sent, unless too many were sent today.",
        ],
      }),
    );
}

const CHANNEL_HEAD = ["TYPE", "ADDRESS", "STATE", "DETAILS"];

function channelCells({ type, address, confirmedAt, confirmedBy, linkExpiresAt }: Result): string[] {
  const waiting = linkExpiresAt === null ? "no link was sent yet" : `link valid until ${linkExpiresAt}`;
  const state = confirmedAt === null ? ["unconfirmed", waiting] : ["confirmed", `${confirmedAt} by ${confirmedBy}`];
  return [type, address, ...state];
}

function addOnCall(noun: Command, what: "group" | "device", exit: Exit): void {
  tenantSubcommand(
    noun,
    "on-call <id>",
    "Show who is on duty in the next 7 days, and hours without a recipient",
  ).action((id: string, { json, tenant }) =>
    send(exit, { name: `${what}.on-call`, body: { tenant, id }, json, show: onCallLines }),
  );
}

function onCallLines({ now, duties, gaps }: Result): string[] {
  return [
    now.length === 0 ? "On duty now: no user" : `On duty now: ${[...new Set(now.map(usersOf))].join("; ")}`,
    ...columns(
      duties.map((duty: Result) => [...timesOf(duty.startsAt, duty.endsAt), duty.shiftName, usersOf(duty)]),
      "No shift in the next 7 days.",
    ),
    ...gapLines(gaps),
  ];
}

function gapLines(gaps: Result[]): string[] {
  if (gaps.length === 0) return ["At any time an anomaly notifies at least one recipient."];
  const times = columns(
    gaps.map(({ from, to }) => timesOf(from, to)),
    "",
  );
  return ["An anomaly that opens in these hours notifies no recipient:", ...times];
}

function timesOf(from: string, to: string): string[] {
  return [`${minute(from)} to ${minute(to)}`];
}

/** Formats a time in UTC, to the minute: the shifts of one list may have different time zones. */
function minute(time: string): string {
  return `${time.slice(0, 16)}Z`;
}

function usersOf({ users }: Result): string {
  return users.length === 0 ? "(no users)" : users.map(({ email }: Result) => email).join(", ");
}

const DELIVERY_HEAD = ["CREATED", "TYPE", "CHANNEL", "TO", "STATE (ATTEMPTS)", "ERROR OR REASON"];

function deliveryCells({ createdAt, type, channel, target, state, attempts, lastError, deferredBy }: Result): string[] {
  return [createdAt, type, channel, target, `${state} (${attempts.length})`, lastError ?? deferredBy ?? ""];
}
