import { X509Certificate } from "node:crypto";
import { writeFileSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "../lib/clock.ts";
import { createLoopbackTls, type LoopbackTls } from "./receivers/loopback-tls.ts";
import { type Mail, startMailSink } from "./receivers/mail-sink.ts";
import { type Hook, startWebhookSink } from "./receivers/webhook-sink.ts";
import { untilStopped } from "./until-stopped.ts";

export interface StoreOptions {
  folder: string;
  /** 0 for a free port. */
  mailPort: number;
  webhookPort: number;
  print(line: string): void;
}

/**
 * Runs only the demo's mail server and webhook receiver, to try notifications by hand, until Ctrl-C. Each message is
 * stored as a file in the folder (`mail-1.eml`, `webhook-1.json`) and printed as a line.
 */
export async function storeMessages({ folder, mailPort, webhookPort, print }: StoreOptions): Promise<void> {
  await mkdir(folder, { recursive: true });
  const store = fileWriter(folder, print, await readdir(folder));
  const certificate = await certificateOf(folder);
  const storeMail = ({ to, subject, source }: Mail) => store("mail", "eml", source, `to ${to.join(", ")}: ${subject}`);
  const storeHook = (hook: Hook) => store("webhook", "json", JSON.stringify(hook, undefined, 2), typeOf(hook.body));
  const mail = await opened("--mail-port", mailPort, startMailSink(storeMail, mailPort));
  const webhook = await opened("--webhook-port", webhookPort, startWebhookSink(certificate, storeHook, webhookPort));
  print(`mails     ${mail.url}`);
  print(`webhooks  ${webhook.url}`);
  print(`messages are stored in ${folder}; press Ctrl-C to stop`);
  await untilStopped();
  mail.close();
  webhook.close();
}

async function opened<Sink>(option: string, port: number, opening: Promise<Sink>): Promise<Sink> {
  return await opening.catch((error: NodeJS.ErrnoException) => {
    throw error.code === "EADDRINUSE"
      ? new Error(`port ${port} is in use by another process; choose another ${option}`)
      : error;
  });
}

/** Returns the type of a message; a manual request may have any body. */
function typeOf(body: string): string {
  try {
    return String(JSON.parse(body).type);
  } catch {
    return "no JSON";
  }
}

/**
 * Returns a function that writes a file before the sender gets its answer. Numbering continues after the files of
 * earlier runs.
 */
function fileWriter(folder: string, print: (line: string) => void, existing: readonly string[]) {
  const counts: Record<string, number> = {};
  for (const name of existing) {
    const [, kind, number] = /^(mail|webhook)-(\d+)\./.exec(name) ?? [];
    if (kind) counts[kind] = Math.max(counts[kind] ?? 0, Number(number));
  }
  return (kind: string, suffix: string, content: string, line: string): void => {
    counts[kind] = (counts[kind] ?? 0) + 1;
    const name = `${kind}-${counts[kind]}.${suffix}`;
    writeFileSync(join(folder, name), `${content}\n`);
    print(`${name}  ${line}`);
  };
}

/**
 * Returns the folder's certificate, which a service may already trust; creates one if there is none or it has expired.
 */
async function certificateOf(folder: string): Promise<LoopbackTls> {
  const [keyFile, certFile] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const now = systemClock.now();
  try {
    const stored = { key: await readFile(keyFile, "utf8"), cert: await readFile(certFile, "utf8") };
    if (new X509Certificate(stored.cert).validToDate > now) return stored;
  } catch {
    // There is none yet.
  }
  const made = createLoopbackTls(now);
  await writeFile(keyFile, made.key, { mode: 0o600 });
  await writeFile(certFile, made.cert);
  return made;
}
