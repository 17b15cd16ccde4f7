import { resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import type { Command } from "commander";
import { subcommand } from "../options.ts";
import { count, print, type Result } from "../output.ts";
import { type Exit, send } from "../send.ts";

/** `muster backup | restore | revoke-all` */
export function addBackupCommands(program: Command, exit: Exit): void {
  addBackup(program, exit);
  addRestore(program);
  addRevokeAll(program, exit);
}

function addBackup(program: Command, exit: Exit): void {
  subcommand(program, "backup <file>", "Copy the embedded database to a new file, without the master key").action(
    (file: string, { json }) =>
      send(exit, {
        name: "backup",
        body: { file: resolve(file) },
        json,
        show: ({ file, bytes }) => [
          `Copied the database to ${file} (${bytes} bytes).`,
          "Copy the master key separately (master.key in the data folder, unless you provide it yourself):",
          "it is not in this file, and without it the backup cannot be used.",
        ],
      }),
  );
}

function addRestore(program: Command): void {
  subcommand(program, "restore <file>", "Restore a backup into a data folder; stop the service first")
    .option("--replace", "Restore over the database in the folder: what has ended in it since the backup stays ended")
    .option(
      "--revoke-all",
      "End everything in the backup that opens a door: passwords, second factors, API keys, claims, MQTT passwords, certificates",
    )
    .option("--keep-certificates", "With --revoke-all: keep device certificates, because none was revoked since")
    .option("--nothing-revoked-since", "Keep everything valid: you know that nothing has ended since the backup")
    .action(async (file: string, { json, ...flags }, command: Command) => {
      const { revokeAll, nothingRevokedSince, replace, keepCertificates } = flags;
      if (revokeAll ? nothingRevokedSince : !(nothingRevokedSince || replace))
        command.error(
          "error: specify --replace, --revoke-all or --nothing-revoked-since: a restore must not make revoked certificates valid again",
        );
      if (keepCertificates && !revokeAll) command.error("error: --keep-certificates belongs to --revoke-all");
      const { restoreDatabase } = await import("../../main.ts");
      const mode = revokeAll ? "revoke-all" : nothingRevokedSince ? "nothing-revoked-since" : undefined;
      const restored = await restoreDatabase(resolve(file), { mode, replace, keepCertificates });
      print(restored, json, restoredLines);
    });
}

function restoredLines(restored: Result): string[] {
  const { dataDir, revokedCertificates, validCertificates, ended, carried, replaced, operators } = restored;
  const withoutPasswords = ended.passwords !== undefined;
  return [
    `Restored the database into ${dataDir} and revoked ${count(revokedCertificates, "certificate")}.`,
    ...(replaced ? [`The replaced database is in ${replaced}: delete it when you need it no longer.`] : []),
    ...(carried ? [carriedLine(carried)] : []),
    `Ended: ${endedText(ended)}.`,
    ...(carried || withoutPasswords
      ? []
      : ["Recovery codes of second factors were deleted: their users make new ones."]),
    ...certificateLines(validCertificates, carried !== undefined),
    "Provide the master key of the service that was backed up before you start this one.",
    ...(withoutPasswords ? howToComeBack(operators) : []),
  ];
}

function carriedLine({ users, apiKeys, mqttClients, claims, certificates }: Result): string {
  const parts = [
    count(users, "user"),
    count(apiKeys, "API key"),
    count(mqttClients, "MQTT client"),
    count(claims, "claim"),
    count(certificates, "certificate"),
  ];
  return `Changed to what they were in the replaced database: ${parts.join(", ")}.`;
}

function certificateLines(valid: number, isKnown: boolean): string[] {
  if (valid === 0 || isKnown) return [];
  return [`${count(valid, "device certificate")} valid. Revoke those that were revoked after the backup.`];
}

function howToComeBack(operators: string[]): string[] {
  return operators.length === 0
    ? ["No user runs the installation: muster user create adds one, muster user platform lets one run it."]
    : [
        "After the start, let in who runs the installation; they make links for the others in the admin app:",
        ...operators.map((email) => `  npx muster user reset-password ${email}`),
      ];
}

function addRevokeAll(program: Command, exit: Exit): void {
  subcommand(
    program,
    "revoke-all",
    "End every session, link, password, second factor, API key, MQTT password and claim, as after a point-in-time recovery",
  )
    .option("--yes", "Do it without asking")
    .option("--revoke-certificates", "Revoke all device certificates: every device must enroll again")
    .option("--keep-certificates", "Keep device certificates: those revoked after the backup are valid again")
    .action(async ({ json, yes, revokeCertificates, keepCertificates }, command: Command) => {
      if (revokeCertificates && keepCertificates)
        command.error("error: specify --revoke-certificates or --keep-certificates");
      if (!yes && !(await isConfirmed(command))) return exit(1);
      const certificates = revokeCertificates ? "revoke" : keepCertificates ? "keep" : undefined;
      await send(exit, { name: "revoke-all", body: { certificates }, json, show: revokedLines });
    });
}

async function isConfirmed(command: Command): Promise<boolean> {
  if (!process.stdin.isTTY) command.error("error: this signs out everybody; confirm it with --yes");
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const asked =
    "This ends every session, link, password, second factor, API key, MQTT password and pending claim of the installation.\nUsers come in again with links that you hand out. Type revoke-all to go on: ";
  const answer = await terminal.question(asked).finally(() => terminal.close());
  return answer.trim() === "revoke-all";
}

function revokedLines({ ended, certificates, sessionsClosed, operators }: Result): string[] {
  return [
    `Ended: ${endedText(ended)}.`,
    certificates.kept > 0
      ? `${count(certificates.kept, "device certificate")} kept. Revoke those that were revoked after the backup (muster certificate revoke <id>).`
      : `Revoked ${count(certificates.revoked, "device certificate")}.`,
    ...(certificates.revoked > 0 ? ["Every device must enroll again, with a new claim."] : []),
    ...(sessionsClosed
      ? []
      : ["Not every node has confirmed that it closed the sessions of MQTT clients; it will as soon as it can."]),
    ...(ended.mqttClients > 0
      ? ["MQTT clients keep their registrations: give each a new password in the admin app."]
      : []),
    ...operatorLines(operators),
  ];
}

function operatorLines(operators: Result[]): string[] {
  if (operators.length === 0)
    return [
      "No user runs the installation: muster user reset-password <email> lets one in, muster user platform lets one run it.",
    ];
  return [
    "With these links, which work once, who runs the installation sets a new password, then makes links for the others in the admin app (Users):",
    ...operators.map(({ email, url, expiresAt }) => `  ${email}  ${url}  until ${expiresAt}`),
  ];
}

function endedText({ sessions, links, passwords, factors, apiKeys, mqttClients, claims }: Result): string {
  const parts = [count(sessions, "session"), count(links, "link")];
  if (passwords !== undefined)
    parts.push(
      count(passwords, "password"),
      count(factors, "second factor"),
      count(apiKeys, "API key"),
      count(mqttClients, "MQTT password"),
      count(claims, "claim"),
    );
  return parts.join(", ");
}
