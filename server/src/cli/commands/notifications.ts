import type { Command } from "commander";
import { type Answer, columns, type Exit, leaf, send, wholeNumber } from "../send.ts";

/** `muster group on-call | webhook-secret`, `muster device on-call`, `muster notification …` */
export function addNotificationCommands(
  { group, device, program }: { group: Command; device: Command; program: Command },
  exit: Exit,
): void {
  addWebhookSecret(group, exit);
  addOnCall(group, "group", exit);
  addOnCall(device, "device", exit);
  const notification = program.command("notification").description("what was sent to whom");
  leaf(notification, "list", "the newest e-mails and webhook messages of a tenant, and what became of them")
    .requiredOption("--tenant <slug>", "the tenant")
    .option("--anomaly <id>", "those of one anomaly")
    .option("--limit <n>", "how many, 200 at most; 20 when absent", wholeNumber)
    .action(({ json, ...body }) =>
      send(exit, {
        name: "notification.list",
        body,
        json,
        show: ({ items }) => columns(items.map(deliveryCells), "Nothing was sent."),
      }),
    );
}

function addWebhookSecret(group: Command, exit: Exit): void {
  leaf(group, "webhook-secret", "show what a group's webhook is signed with")
    .requiredOption("--tenant <slug>", "the tenant")
    .requiredOption("--group <id>", "the group")
    .requiredOption("--target <url>", "the webhook's address, as the group has it")
    .option("--enable", "send there again, after it answered 410")
    .action(({ json, ...body }) =>
      send(exit, {
        name: "group.webhook-secret",
        body,
        json,
        show: ({ secret, disabled }) => [
          secret,
          ...(disabled ? ["It answered 410, so nothing is sent there: --enable to try again."] : []),
        ],
      }),
    );
}

function addOnCall(noun: Command, what: "group" | "device", exit: Exit): void {
  leaf(noun, "on-call <id>", "who is on duty now and for seven days, and the hours that reach nobody")
    .requiredOption("--tenant <slug>", "the tenant")
    .action((id: string, { json, tenant }) =>
      send(exit, { name: `${what}.on-call`, body: { tenant, id }, json, show: onCallLines }),
    );
}

function onCallLines({ now, duties, gaps }: Answer): string[] {
  return [
    now.length === 0 ? "Nobody is on duty now." : `On duty now: ${[...new Set(now.map(peopleOf))].join("; ")}`,
    ...columns(
      duties.map((duty: Answer) => [...timesOf(duty.startsAt, duty.endsAt), duty.shiftName, peopleOf(duty)]),
      "No shift in the next seven days.",
    ),
    ...(gaps.length === 0
      ? ["Every hour reaches somebody."]
      : [
          "An anomaly that opens then reaches nobody:",
          ...columns(
            gaps.map((gap: Answer) => timesOf(gap.from, gap.to)),
            "",
          ),
        ]),
  ];
}

function timesOf(from: string, to: string): string[] {
  return [`${minute(from)} to ${minute(to)}`];
}

/** UTC, to the minute: shifts of one list may be of several zones. */
function minute(time: string): string {
  return `${time.slice(0, 16)}Z`;
}

function peopleOf({ users }: Answer): string {
  return users.length === 0 ? "(nobody)" : users.map(({ email }: Answer) => email).join(", ");
}

function deliveryCells({ createdAt, type, channel, target, state, attempts, lastError }: Answer): string[] {
  return [createdAt, type, channel, target, `${state} (${attempts.length})`, lastError ?? ""];
}
