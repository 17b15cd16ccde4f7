import type { Command } from "commander";
import { tenantSubcommand, wholeNumber } from "../options.ts";
import { escaped, type Result, table } from "../output.ts";
import { type Exit, send } from "../send.ts";

/** Adds `muster mqtt-client | refusal …`. */
export function addConnectionSubcommands(program: Command, exit: Exit): void {
  const client = program.command("mqtt-client").description("Manage MQTT clients that connect with a password");
  addCreation(client, exit);
  tenantSubcommand(client, "list", "List the MQTT clients of a tenant, including disabled ones, newest first").action(
    ({ json, ...body }) => send(exit, { name: "mqtt-client.list", body, json, show: clientLines }),
  );
  addChanges(client, exit);
  addRefusals(program.command("refusal").description("Show which clients the broker refused, and why"), exit);
}

function addCreation(client: Command, exit: Exit): void {
  tenantSubcommand(client, "create", "Register a gateway or service that connects with user name and password")
    .requiredOption("--client-id <id>", "Its MQTT client id, 1 to 64 characters of A-Z a-z 0-9 _ -")
    .requiredOption("--username <u>", "Its user name, 1 to 64 characters of A-Z a-z 0-9 _ . @ -")
    .option("--publish <topic...>", "Topic it may publish to, below t/<slug>/ (repeatable)")
    .option("--subscribe <filter...>", "Topic filter it may subscribe to, below t/<slug>/ (repeatable)")
    .action(({ json, publish = [], subscribe = [], ...body }) =>
      send(exit, {
        name: "mqtt-client.create",
        body: { ...body, publish, subscribe },
        json,
        show: ({ password }) => [
          `Created MQTT client ${body.clientId}.`,
          `Password of ${body.username}: ${password}`,
          "Copy it now: it is not shown again.",
        ],
      }),
    );
}

const ENDED = "its session is closed and its password is refused";

/** Verb → description, report of success, and effect. */
const CHANGES = {
  disable: ["Refuse the password of an MQTT client, close its session and free its client id", "Disabled", ENDED],
  enable: [
    "Enable a disabled or suspended MQTT client again, with its previous password",
    "Enabled",
    "it may connect again",
  ],
  delete: ["Disable an MQTT client and remove it from the list", "Deleted", ENDED],
} as const;

function addChanges(client: Command, exit: Exit): void {
  for (const [verb, [description, done, effect]] of Object.entries(CHANGES))
    tenantSubcommand(client, `${verb} <client-id>`, description).action((clientId: string, { json, tenant }) =>
      send(exit, {
        name: `mqtt-client.${verb}`,
        body: { tenant, clientId },
        json,
        show: () => [`${done} MQTT client ${clientId}: ${effect}.`],
      }),
    );
}

function addRefusals(refusal: Command, exit: Exit): void {
  tenantSubcommand(refusal, "list", "List the refused connects, publishes and subscriptions of a tenant, newest first")
    .option("--limit <n>", "Number of entries, 1 to 1000", wholeNumber, 50)
    .option("--skip <n>", "Number of newer entries to skip", wholeNumber, 0)
    .action(({ json, ...body }) => send(exit, { name: "refusal.list", body, json, show: refusalLines }));
}

function clientLines({ items }: Result): string[] {
  return table(
    ["CLIENT ID", "USER NAME", "STATE", "OWNER", "PUBLISHES TO", "SUBSCRIBES TO"],
    items.map(({ clientId, username, owner, publish, subscribe, ...state }: Result) => [
      clientId,
      username,
      clientState(state),
      owner ?? "none",
      publish.join(", ") || "none",
      subscribe.join(", ") || "none",
    ]),
    "No MQTT clients.",
  );
}

function clientState({ disabledAt, suspended, connected }: Result): string {
  if (disabledAt) return `disabled ${disabledAt}`;
  if (suspended) return "suspended";
  return connected ? "connected" : "not connected";
}

/** Formats refusals. Client ids and topics come from clients and must not control the terminal. */
function refusalLines({ items }: Result): string[] {
  return table(
    ["AT", "REASON", "CLIENT", "ADDRESS", "TOPIC", "REPEATED"],
    items.map(({ at, reason, revocationReason, occurrences, lastAt, clientId, deviceId, ...seen }: Result) => {
      const repeated = occurrences > 1 ? `${occurrences} times, last ${lastAt}` : "";
      const why = revocationReason ? `${reason} (${revocationReason})` : reason;
      return [at, why, deviceId ?? clientId ?? "", seen.remoteAddress ?? "", seen.topic ?? "", repeated].map(escaped);
    }),
    "No refusals.",
  );
}
