import { resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import type { Command } from "commander";
import { subcommand } from "../options.ts";
import { count, print, type Result } from "../output.ts";
import { type Exit, send } from "../send.ts";

/** Adds `muster reapply-revocations | revoke-all`. */
export function addRevocationSubcommands(program: Command, exit: Exit): void {
  addReapply(program);
  addRevokeAll(program, exit);
}

function addReapply(program: Command): void {
  subcommand(
    program,
    "reapply-revocations",
    "After a recovery of PostgreSQL, end all access that has since ended in the former database; stop every service first",
  )
    .option(
      "--former-database-url-file <file>",
      "File (mode 0600) with the address of the former database; default: MUSTER_FORMER_DATABASE_URL",
    )
    .action(async ({ json, formerDatabaseUrlFile: file }) => {
      const { reapplyFromFormer } = await import("../../main.ts");
      print(await reapplyFromFormer(file && resolve(file)), json, reappliedLines);
    });
}

function reappliedLines({ carried, ended, devicesToEnroll, validCertificates }: Result): string[] {
  return [
    carriedLine(carried, "former"),
    `Ended: ${endedText(ended)}.`,
    `${count(validCertificates, "device certificate")} valid.`,
    ...enrollAgainLine(devicesToEnroll),
    "Start the services: everything else works as before.",
  ];
}

/** Reports the records that were changed because they had ended in the `replaced` or `former` database. */
export function carriedLine(
  { users, apiKeys, mqttClients, claims, certificates }: Result,
  which: "replaced" | "former",
): string {
  const parts = [
    count(users, "user"),
    count(apiKeys, "API key"),
    count(mqttClients, "MQTT client"),
    count(claims, "claim"),
    count(certificates, "certificate"),
  ];
  return `Changed to their state in the ${which} database: ${parts.join(", ")}.`;
}

/** Says which devices must enroll again. @param devices their number; absent if unknown */
export function enrollAgainLine(devices: number | undefined): string[] {
  if (devices === 0) return [];
  const which = devices === undefined ? "Devices" : count(devices, "device");
  return [
    `${which} that enrolled or renewed after the backup must enroll again, with a new claim: this database does not contain their certificates.`,
  ];
}

function addRevokeAll(program: Command, exit: Exit): void {
  subcommand(
    program,
    "revoke-all",
    "End every session, link, password, second factor, API key, MQTT password and claim, as after a point-in-time recovery",
  )
    .option("--yes", "Do not ask for confirmation")
    .option("--revoke-certificates", "Revoke all device certificates: every device must enroll again")
    .option("--keep-certificates", "Keep device certificates: those revoked after the backup are valid again")
    .action(async ({ json, yes, revokeCertificates, keepCertificates }, command: Command) => {
      if (revokeCertificates && keepCertificates)
        command.error("error: specify --revoke-certificates or --keep-certificates");
      const certificates = revokeCertificates ? "revoke" : keepCertificates ? "keep" : undefined;
      if (!yes && !(await isConfirmed(command, certificates))) return exit(1);
      await send(exit, { name: "revoke-all", body: { certificates }, json, show: revokedLines });
    });
}

/** Asks on the terminal; the end of input, or Ctrl-C, means no. */
async function isConfirmed(command: Command, certificates: "revoke" | "keep" | undefined): Promise<boolean> {
  if (!process.stdin.isTTY) command.error("error: this signs out everybody; confirm it with --yes");
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const closed = new Promise<string>((resolve) => terminal.once("close", () => resolve("")));
  const asked = [
    "This ends every session, link, password, second factor, API key, MQTT password and pending claim of the installation.",
    ...(certificates === "revoke" ? ["It revokes all device certificates: every device must enroll again."] : []),
    ...(certificates === "keep"
      ? ["It keeps device certificates: those revoked after the backup are valid again."]
      : []),
    "Users regain access with links that you hand out. Type revoke-all to continue: ",
  ];
  const answer = await Promise.race([terminal.question(asked.join("\n")), closed]).finally(() => terminal.close());
  if (answer.trim() === "revoke-all") return true;
  console.error("Nothing was ended.");
  return false;
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
      : ["Not every node has confirmed that it closed the sessions of MQTT clients; it will do so as soon as it can."]),
    ...(ended.mqttClients > 0
      ? ["MQTT clients keep their registrations: give each a new password in the admin app."]
      : []),
    ...operatorLines(operators),
  ];
}

function operatorLines(operators: Result[]): string[] {
  if (operators.length === 0)
    return [
      "No user runs the installation: muster user reset-password <email> restores access for one, muster user platform authorizes one.",
    ];
  return [
    "Those who run the installation set a new password with these single-use links, then create links for the others in the admin app (Users):",
    ...operators.map(({ email, url, expiresAt }) => `  ${email}  ${url}  until ${expiresAt}`),
  ];
}

/** Returns the numbers of ended credentials. */
export function endedText({
  sessions,
  links,
  passwords,
  factors,
  passkeys,
  apiKeys,
  mqttClients,
  claims,
}: Result): string {
  const parts = [count(sessions, "session"), count(links, "link")];
  if (passwords !== undefined)
    parts.push(
      count(passwords, "password"),
      count(factors, "authenticator app"),
      count(passkeys, "passkey"),
      count(apiKeys, "API key"),
      count(mqttClients, "MQTT password"),
      count(claims, "claim"),
    );
  return parts.join(", ");
}
