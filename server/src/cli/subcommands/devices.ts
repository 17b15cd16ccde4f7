import type { Command } from "commander";
import { paged, tenantSubcommand, wholeNumber } from "../options.ts";
import { escaped, pageLines, type Result, table } from "../output.ts";
import { type Exit, type Request, send } from "../send.ts";
import { addWaitingSubcommands } from "./device-commands.ts";
import { addDeviceTypes } from "./device-types.ts";

/** The number of characters of a rejected payload that a line shows. */
const PAYLOAD_CHARACTERS = 120;

/** Adds `muster device-type | device | claim …`. @returns the `device` command, for further subcommands */
export function addDeviceSubcommands(program: Command, exit: Exit): Command {
  addDeviceTypes(
    program.command("device-type").description("Manage device types: topics, threshold packs, silence"),
    exit,
  );
  const device = program.command("device").description("Manage devices and show their telemetry");
  addDevices(device, exit);
  addTelemetryViews(device, exit);
  addWaitingSubcommands(device, exit);
  addClaims(program.command("claim").description("Manage claim codes, which devices use to enroll themselves"), exit);
  return device;
}

function addDevices(device: Command, exit: Exit): void {
  tenantSubcommand(device, "create", "Create a device that does not enroll itself")
    .option("--id <id>", "Id of the device, which never changes (default: random)")
    .option("--type <id>", "Id of its device type")
    .option("--group <id...>", "Id of a group it belongs to (repeatable)")
    .requiredOption("--name <text>", "Name of the device")
    .action(({ json, type, group, ...rest }) =>
      send(exit, {
        name: "device.create",
        body: { ...rest, deviceTypeId: type, groupIds: group },
        json,
        show: ({ id, name }) => [`Created device ${id} (${name}).`],
        advice: typeAdvice(type, rest.tenant),
      }),
    );
  paged(tenantSubcommand(device, "list", "List the devices of a tenant, newest first"), "devices")
    .option("--search <text>", "Only devices whose id or name contains this text, ignoring case")
    .action(({ json, ...body }) => send(exit, { name: "device.list", body, json, show: deviceLines }));
  tenantSubcommand(device, "delete <id>", "Delete a device, revoke its certificates and close its sessions").action(
    (id: string, { json, tenant }) =>
      send(exit, {
        name: "device.delete",
        body: { tenant, id },
        json,
        show: () => [`Deleted device ${id}, revoked its certificates and closed its sessions.`],
      }),
  );
}

function deviceLines(page: Result): string[] {
  const rows = page.items.map(({ id, name, connectivity, certificateState, lastSeenAt, deviceTypeId }: Result) => [
    id,
    name,
    connectivity.status,
    certificateState,
    lastSeenAt ?? "never",
    deviceTypeId ?? "none",
  ]);
  const head = ["ID", "NAME", "CONNECTIVITY", "CERTIFICATE", "LAST SEEN", "DEVICE TYPE"];
  return pageLines(table(head, rows, "No devices."), page, "devices");
}

function addTelemetryViews(device: Command, exit: Exit): void {
  tenantSubcommand(device, "latest <id>", "Show the newest value of every metric of a device").action(
    (id: string, { json, tenant }) =>
      send(exit, {
        name: "device.latest",
        body: { tenant, id },
        json,
        show: ({ items }) => table(["METRIC", "VALUE", "AT"], items.map(valueCells), "No values."),
      }),
  );
  tenantSubcommand(device, "rejected <id>", "Show the last 20 rejected messages of a device with their reasons").action(
    (id: string, { json, tenant }) =>
      send(exit, {
        name: "device.rejected",
        body: { tenant, id },
        json,
        show: ({ items }) => (items.length === 0 ? ["No rejected messages."] : items.map(rejectedLine)),
      }),
  );
}

function valueCells({ metric, value, at, timeReplaced }: Result): string[] {
  return [quoted(metric), quoted(value), timeReplaced ? `${at} (time of arrival)` : at];
}

function rejectedLine({ at, topic, reason, payloadBase64, payloadBytes }: Result): string {
  const payload = Buffer.from(payloadBase64, "base64").toString("utf8");
  const line = `${at}  ${topic}  ${escaped(reason)}: `;
  if (payload.length <= PAYLOAD_CHARACTERS) return line + quoted(payload);
  return `${line}${quoted(`${payload.slice(0, PAYLOAD_CHARACTERS)}…`)} (${payloadBytes} bytes)`;
}

function quoted(value: unknown): string {
  return escaped(JSON.stringify(value));
}

function addClaims(claim: Command, exit: Exit): void {
  tenantSubcommand(claim, "create", "Create a claim code")
    .requiredOption("--name <text>", "Name of the device that will redeem it")
    .option("--type <id>", "Id of the device type it will have")
    .option("--group <id...>", "Id of a group it will belong to (repeatable)")
    .option("--max-uses <n>", "Number of devices that may redeem it, 1 to 100 (default: 1)", wholeNumber)
    .option("--expires-in-minutes <n>", "Minutes until it expires, 5 to 1440 (default: 60)", wholeNumber)
    .action(({ json, name, type, group, ...rest }) =>
      send(exit, {
        name: "claim.create",
        body: { ...rest, intendedName: name, intendedDeviceTypeId: type, intendedGroupIds: group },
        json,
        show: ({ claimCode, expiresAt, server }) => [
          `Claim code: ${claimCode}`,
          "Copy it now: it is not shown again.",
          `It expires at ${expiresAt}. Redeem it at ${server}/api/provisioning/claim.`,
        ],
        advice: typeAdvice(type, rest.tenant),
      }),
    );
  paged(
    tenantSubcommand(claim, "list", "List the claims of a tenant, including ended ones, newest first"),
    "claims",
  ).action(({ json, ...body }) => send(exit, { name: "claim.list", body, json, show: claimLines }));
}

/** Formats claims. A claim code is shown only once, when it is created; its end distinguishes codes. */
function claimLines(page: Result): string[] {
  const rows = page.items.map(({ id, intendedName, codeHint, usedCount, maxUses, ...claim }: Result) => [
    id,
    intendedName,
    `…${codeHint}`,
    claim.status === "pending" && claim.expired ? "expired" : claim.status,
    `${usedCount} of ${maxUses}`,
    claim.expiresAt,
  ]);
  return pageLines(table(["ID", "NAME", "CODE", "STATE", "USED", "EXPIRES"], rows, "No claims."), page, "claims");
}

/** Returns advice for a refusal of `type`, which may be the name of a device type. */
function typeAdvice(type: string | undefined, tenant: string): Request["advice"] {
  const advice = `--type takes the id of a device type, which muster device-type list --tenant ${tenant} shows.`;
  return ({ detail }) => (type !== undefined && detail === type ? advice : undefined);
}
