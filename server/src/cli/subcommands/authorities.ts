import type { Command } from "commander";
import { subcommand } from "../options.ts";
import { type Result, table } from "../output.ts";
import { type Exit, send } from "../send.ts";

/** Adds `muster ca … | master-key …`. */
export function addAuthoritySubcommands(program: Command, exit: Exit): void {
  const ca = program.command("ca").description("Manage the certificate authorities and the server certificates");
  const add = (verb: string, description: string): Command =>
    subcommand(ca, verb, description).action(({ json, ...body }) =>
      send(exit, { name: `ca.${verb}`, body, json, show }),
    );
  add("status", "List every generation, oldest first");
  addExport(ca, exit);
  add("rotate-intermediate", "Sign device certificates with a new intermediate from now on");
  add("rotate-root", "Create new roots: the device root is used immediately, the server root after 35 days").option(
    "--immediately",
    "Use the new server root immediately: devices cannot connect before they fetch it over HTTPS",
  );
  add("rotate-server", "Replace the broker and HTTPS certificates");
  const masterKey = program.command("master-key").description("Manage the key that encrypts the stored keys");
  subcommand(
    masterKey,
    "rotate",
    "Encrypt the stored keys under a new master key; repeat it after an interruption",
  ).action(({ json, ...body }) => send(exit, { name: "master-key.rotate", body, json, show: rotationLines }));
}

function rotationLines({ keyId, formerKeyId, remaining }: Result): string[] {
  const done =
    formerKeyId === null
      ? `The stored keys were already encrypted under master key ${keyId}: nothing was changed.`
      : `Rotated the master key: ${keyId} replaces ${formerKeyId}.`;
  return [done, ...remaining];
}

function show({ authorities, rollout }: Result): string[] {
  const rows: string[][] = authorities.map((each: Result) => [
    each.role,
    each.status,
    each.notAfter.slice(0, 10),
    each.fingerprintSha256.slice(0, 16),
    each.takeOverAt && each.status === "upcoming" ? each.takeOverAt.slice(0, 10) : "",
  ]);
  const head = ["AUTHORITY", "STATUS", "VALID UNTIL", "FINGERPRINT", "TAKES OVER"];
  return [...table(head, rows, "No certificate authorities yet."), ...(rollout ? [rolloutLine(rollout)] : [])];
}

function rolloutLine({ devices, trusting, takeOverAt, activatedAt }: Result): string {
  const since = activatedAt ? `took over ${activatedAt.slice(0, 10)}` : `takes over ${takeOverAt.slice(0, 10)}`;
  return `New server root (${since}): ${trusting} of ${devices} devices with a live certificate have it.`;
}

function addExport(ca: Command, exit: Exit): void {
  subcommand(ca, "export", "Print the public certificates of the roots and intermediates in use, as PEM").action(
    ({ json, ...body }) =>
      send(exit, { name: "ca.export", body, json, show: ({ authorities }) => authorities.map(pemWithName) }),
  );
}

/** Prefixes the name; readers of PEM ignore the line above the certificate. */
function pemWithName({ role, status, name, notAfter, pem }: Result): string {
  return `# ${role}, ${status}: ${name}, until ${notAfter.slice(0, 10)}\n${pem.trimEnd()}`;
}
