import { readFile } from "node:fs/promises";
import type { NatsSettings } from "./nats-settings.ts";

type Files = Pick<NatsSettings, "tls" | "credentialsFile" | "caFile" | "certFile" | "keyFile">;

const WHY: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  EACCES: "this user may not read it",
  EISDIR: "it is a folder",
};

/** Thrown when a file named by the settings cannot be read. */
export class FileError extends Error {}

/** Reads each file that a connection needs. @throws FileError with the setting that names the file */
export async function checkFiles({ tls, credentialsFile, caFile, certFile, keyFile }: Files): Promise<void> {
  await check("MUSTER_NATS_CREDENTIALS_FILE", credentialsFile);
  if (!tls) return;
  await check("MUSTER_NATS_CA_FILE", caFile);
  await check("MUSTER_NATS_CERT_FILE", certFile);
  await check("MUSTER_NATS_KEY_FILE", keyFile);
}

async function check(setting: string, file: string | undefined): Promise<void> {
  if (file === undefined) return;
  await readFile(file).catch(({ code, message }: NodeJS.ErrnoException) => {
    throw new FileError(`${setting} (${file}) cannot be read: ${WHY[code ?? ""] ?? code ?? message}`);
  });
}
