import type { Command } from "commander";
import { type Answer, columns, type Exit, leaf, send, wholeNumber } from "../send.ts";

const SHOWN_OF_A_PAYLOAD = 120;

/** `muster device-type | device | claim | mqtt-client …` @returns that of devices, for those that others add to it */
export function addDeviceCommands(program: Command, exit: Exit): Command {
  const type = program.command("device-type").description("which topics a kind of device publishes on");
  addDeviceTypes(type, exit);
  addDeviceTypeList(type, exit);
  const device = program.command("device").description("devices, and what they send");
  addDevices(device, exit);
  addTelemetryViews(device, exit);
  addClaims(program.command("claim").description("claim codes that let a device enroll itself"), exit);
  addMqttClients(program.command("mqtt-client").description("services that connect with a password"), exit);
  return device;
}

function addDeviceTypes(type: Command, exit: Exit): void {
  leaf(type, "create", "add a device type")
    .requiredOption("--tenant <slug>", "the tenant")
    .requiredOption("--name <text>", "its name")
    .requiredOption("--topic <template...>", "a topic to publish on, e.g. telemetry/{deviceId} (repeatable)")
    .option("--subscribe <template...>", "a topic to subscribe to (repeatable); none when absent")
    .option("--threshold <id...>", "a threshold pack that watches its devices (repeatable)")
    .option("--silent-for-seconds <n>", "a device silent for longer is an anomaly; never when absent", wholeNumber)
    .action(({ json, topic, subscribe, threshold, ...rest }) =>
      send(exit, {
        name: "device-type.create",
        body: { ...rest, publishTopics: topic, subscribeTopics: subscribe, thresholdIds: threshold },
        json,
        show: (made) => [`Device type ${made.name} is there (${made.id}).`],
      }),
    );
  leaf(type, "update <id>", "change a device type; certificates follow when they are next issued")
    .option("--name <text>", "its new name")
    .option("--topic <template...>", "every topic to publish on from now (repeatable)")
    .option("--subscribe <template...>", "every topic to subscribe to from now (repeatable)")
    .option("--threshold <id...>", "every threshold pack that watches its devices from now (repeatable)")
    .option("--no-threshold", "no threshold pack watches its devices from now")
    .option("--silent-for-seconds <n>", "from now a device silent for longer is an anomaly", wholeNumber)
    .option("--no-silent-for-seconds", "from now silence is no anomaly")
    .action((id: string, { json, name, topic, subscribe, threshold, silentForSeconds }) =>
      send(exit, {
        name: "device-type.update",
        body: {
          id,
          name,
          publishTopics: topic,
          subscribeTopics: subscribe,
          thresholdIds: threshold === false ? [] : threshold,
          silentForSeconds: silentForSeconds === false ? null : silentForSeconds,
        },
        json,
        show: typeLines,
      }),
    );
}

function typeLines({ name, publishTopics, thresholdIds, silentForSeconds }: Answer): string[] {
  return [
    `Device type ${name} publishes on ${publishTopics.join(", ") || "nothing"}.`,
    `It is watched by ${thresholdIds.length === 0 ? "no threshold pack" : `the threshold packs ${thresholdIds.join(", ")}`}.`,
    silentForSeconds === null
      ? "Silence is no anomaly."
      : `Silent for longer than ${silentForSeconds} s is an anomaly.`,
  ];
}

function addDeviceTypeList(type: Command, exit: Exit): void {
  leaf(type, "list", "every device type of a tenant, newest first")
    .requiredOption("--tenant <slug>", "the tenant")
    .action(({ json, ...body }) =>
      send(exit, {
        name: "device-type.list",
        body,
        json,
        show: ({ items }) =>
          columns(
            items.map(({ id, name, publishTopics }: Answer) => [id, name, publishTopics.join(", ")]),
            "There are no device types.",
          ),
      }),
    );
}

function addDevices(device: Command, exit: Exit): void {
  leaf(device, "create", "add a device by hand")
    .requiredOption("--tenant <slug>", "the tenant")
    .option("--id <id>", "its id, which never changes; random when absent")
    .option("--type <id>", "its device type")
    .option("--group <id...>", "a group it is in (repeatable)")
    .requiredOption("--name <text>", "its name")
    .action(({ json, type, group, ...rest }) =>
      send(exit, {
        name: "device.create",
        body: { ...rest, deviceTypeId: type, groupIds: group },
        json,
        show: (made) => [`Device ${made.id} (${made.name}) is there.`],
      }),
    );
  leaf(device, "delete <id>", "delete a device: its certificates are revoked, its sessions closed")
    .requiredOption("--tenant <slug>", "the tenant")
    .action((id: string, { json, tenant }) =>
      send(exit, { name: "device.delete", body: { tenant, id }, json, show: () => [`Device ${id} is deleted.`] }),
    );
}

function addTelemetryViews(device: Command, exit: Exit): void {
  leaf(device, "latest <id>", "the newest value of every metric of a device")
    .requiredOption("--tenant <slug>", "the tenant")
    .action((id: string, { json, tenant }) =>
      send(exit, {
        name: "device.latest",
        body: { tenant, id },
        json,
        show: ({ items }) => columns(items.map(valueCells), "There are no values."),
      }),
    );
  leaf(device, "rejected <id>", "the last 20 messages of a device that could not be read, and why")
    .requiredOption("--tenant <slug>", "the tenant")
    .action((id: string, { json, tenant }) =>
      send(exit, {
        name: "device.rejected",
        body: { tenant, id },
        json,
        show: ({ items }) => (items.length === 0 ? ["No message was rejected."] : items.map(rejectedLine)),
      }),
    );
}

function valueCells({ metric, value, at, timeReplaced }: Answer): string[] {
  return [quoted(metric), quoted(value), timeReplaced ? `${at} (time of the service)` : at];
}

function rejectedLine({ at, topic, reason, payloadBase64 }: Answer): string {
  const payload = Buffer.from(payloadBase64, "base64").toString("utf8");
  const shown = payload.length > SHOWN_OF_A_PAYLOAD ? `${payload.slice(0, SHOWN_OF_A_PAYLOAD)}…` : payload;
  return `${at}  ${topic}  ${harmless(reason)}: ${quoted(shown)}`;
}

function quoted(value: unknown): string {
  return harmless(JSON.stringify(value));
}

/** What a device sent must not steer the terminal. */
function harmless(text: string): string {
  return text.replace(/\p{Cc}/gu, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function addClaims(claim: Command, exit: Exit): void {
  leaf(claim, "create", "make a claim code")
    .requiredOption("--tenant <slug>", "the tenant")
    .requiredOption("--name <text>", "the name of the device that will redeem it")
    .option("--type <id>", "its device type")
    .option("--group <id...>", "a group it will be in (repeatable)")
    .option("--max-uses <n>", "how many devices may redeem it, 1 to 100; 1 when absent", wholeNumber)
    .option("--expires-in-minutes <n>", "how long it works, 5 to 1440; 60 when absent", wholeNumber)
    .action(({ json, name, type, group, ...rest }) =>
      send(exit, {
        name: "claim.create",
        body: { ...rest, intendedName: name, intendedDeviceTypeId: type, intendedGroupIds: group },
        json,
        show: (made) => [
          `Claim code: ${made.claimCode}`,
          "It is shown this once and stored nowhere.",
          `It works until ${made.expiresAt}; redeem it at ${made.server}/api/provisioning/claim.`,
        ],
      }),
    );
}

function addMqttClients(client: Command, exit: Exit): void {
  leaf(client, "create", "register a gateway or service that connects with user name and password")
    .requiredOption("--tenant <slug>", "the tenant")
    .requiredOption("--client-id <id>", "its one MQTT client id")
    .requiredOption("--username <u>", "its user name")
    .option("--publish <topic...>", "a topic it may publish on (repeatable)")
    .option("--subscribe <filter...>", "a filter it may subscribe to (repeatable)")
    .action(({ json, publish = [], subscribe = [], ...body }) =>
      send(exit, {
        name: "mqtt-client.create",
        body: { ...body, publish, subscribe },
        json,
        show: ({ password }) => [
          `MQTT client ${body.clientId} is there.`,
          `Password of ${body.username}: ${password}`,
          "It is shown this once and stored nowhere; keep it safe.",
        ],
      }),
    );
}
