import { resolve } from "node:path";
import type { Command } from "commander";
import { subcommand } from "../options.ts";
import { count, print, type Result } from "../output.ts";
import { type Exit, send } from "../send.ts";
import { carriedLine, endedText, enrollAgainLine } from "./revocations.ts";

/** Adds `muster backup | restore`. */
export function addBackupSubcommands(program: Command, exit: Exit): void {
  addBackup(program, exit);
  addRestore(program);
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
    .option(
      "--replace",
      "Restore over the database in the folder; access that has ended in it since the backup stays ended",
    )
    .option(
      "--revoke-all",
      "End every credential in the backup: passwords, second factors, API keys, claims, MQTT passwords, certificates",
    )
    .option("--keep-certificates", "With --revoke-all: keep device certificates, because none was revoked since")
    .option(
      "--nothing-revoked-since",
      "Keep everything valid: you know that nothing has been revoked or ended since the backup",
    )
    .action(async (file: string, { json, ...flags }, command: Command) => {
      const { revokeAll, nothingRevokedSince, replace, keepCertificates } = flags;
      if (revokeAll ? nothingRevokedSince : !(nothingRevokedSince || replace))
        command.error(
          "error: specify --replace, --revoke-all or --nothing-revoked-since: a restore must not make revoked certificates valid again",
        );
      if (keepCertificates && !revokeAll) command.error("error: --keep-certificates requires --revoke-all");
      const { restoreDatabase } = await import("../../main.ts");
      const mode = revokeAll ? "revoke-all" : nothingRevokedSince ? "nothing-revoked-since" : undefined;
      const restored = await restoreDatabase(resolve(file), { mode, replace, keepCertificates });
      print(restored, json, restoredLines);
    });
}

function restoredLines(restored: Result): string[] {
  const { dataDir, revokedCertificates, validCertificates, ended, carried, devicesToEnroll, replaced, operators } =
    restored;
  const withoutPasswords = ended.passwords !== undefined;
  return [
    `Restored the database into ${dataDir} and revoked ${count(revokedCertificates, "certificate")}.`,
    ...(replaced ? [`The replaced database is in ${replaced}: delete it when you no longer need it.`] : []),
    ...(carried ? [carriedLine(carried, "replaced")] : []),
    `Ended: ${endedText(ended)}.`,
    ...(carried || withoutPasswords
      ? []
      : ["Recovery codes of second factors were deleted: their users must generate new ones."]),
    ...certificateLines(validCertificates, carried !== undefined),
    ...enrollAgainLine(devicesToEnroll),
    "Before you start this service, provide the master key of the one that was backed up.",
    ...(withoutPasswords ? howToComeBack(operators) : []),
  ];
}

function certificateLines(valid: number, isKnown: boolean): string[] {
  if (valid === 0 || isKnown) return [];
  return [`${count(valid, "device certificate")} valid. Revoke those that were revoked after the backup.`];
}

function howToComeBack(operators: string[]): string[] {
  return operators.length === 0
    ? ["No user runs the installation: muster user create adds one, muster user platform authorizes one."]
    : [
        "After the start, restore access for those who run the installation; they create links for the others in the admin app:",
        ...operators.map((email) => `  npx muster user reset-password ${email}`),
      ];
}
