import { type Command, Option } from "commander";
import { subcommand, tenantSubcommand, wholeNumber } from "../options.ts";
import { count, type Result, table } from "../output.ts";
import { type Exit, send } from "../send.ts";

/** Adds `muster certificate …`. */
export function addCertificateSubcommands(program: Command, exit: Exit): void {
  const certificate = program.command("certificate").description("List and revoke the certificates of devices");
  tenantSubcommand(certificate, "list", "List the certificates of a tenant, newest first")
    .option("--device <id>", "Only certificates of this device")
    .addOption(new Option("--status <status>", "Only active or only revoked ones").choices(["active", "revoked"]))
    .option("--limit <n>", "Number of certificates, 1 to 1000", wholeNumber, 50)
    .option("--skip <n>", "Number of newer certificates to skip", wholeNumber, 0)
    .action(({ json, device, ...body }) =>
      send(exit, { name: "certificate.list", body: { ...body, deviceId: device }, json, show: listLines }),
    );
  subcommand(certificate, "revoke <id>", "Revoke a certificate and close its sessions")
    .option("--chain", "Also revoke the certificate that replaced it by renewal")
    .action((id: string, { json, chain = false }) =>
      send(exit, { name: "certificate.revoke", body: { id, chain }, json, show: revokedLines }),
    );
}

/** Adds `muster key block`. */
export function addKeyBlocking(key: Command, exit: Exit): void {
  subcommand(key, "block [spki-sha256]", "Block a compromised device key and revoke its certificates, in all tenants")
    .option("--certificate <id>", "Block the key of this certificate, instead of a given key")
    .action((spkiSha256: string | undefined, { json, certificate }) =>
      send(exit, { name: "key.block", body: { spkiSha256, certificateId: certificate }, json, show: blockedLines }),
    );
}

function listLines({ items }: Result): string[] {
  return table(
    ["ID", "DEVICE", "KIND", "STATE", "VALID UNTIL", "SERIAL NUMBER"],
    items.map(({ id, deviceId, kind, status, revocationReason, expired, expiresAt, serialNumber }: Result) => [
      id,
      deviceId,
      kind,
      revocationReason ? `${status} (${revocationReason})` : expired ? "expired" : status,
      expiresAt,
      serialNumber,
    ]),
    "No certificates.",
  );
}

function revokedLines({ id, revoked, liveSuccessor }: Result): string[] {
  const lines =
    revoked.length === 0
      ? [`Certificate ${id} was already revoked; its sessions are closed.`]
      : revoked.map((each: string) => `Revoked certificate ${each} and closed its sessions.`);
  if (liveSuccessor === null) return lines;
  return [
    ...lines,
    `WARNING: a renewal replaced it by certificate ${liveSuccessor.id} (serial number ${liveSuccessor.serialNumber}), valid`,
    `until ${liveSuccessor.expiresAt}. A person who has the device's key may have made that renewal. To revoke it too:`,
    `muster certificate revoke ${id} --chain`,
  ];
}

function blockedLines({ spkiSha256, revoked }: Result): string[] {
  return [
    `Blocked key ${spkiSha256}: enrollment and renewal refuse it.`,
    `Revoked ${count(revoked.length, "certificate")} and closed their sessions.`,
    ...revoked.map(({ deviceId, certificateId }: Result) => `${deviceId}  ${certificateId}`),
  ];
}
