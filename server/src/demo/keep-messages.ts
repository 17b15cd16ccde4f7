import { X509Certificate } from "node:crypto";
import { writeFileSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "../lib/clock.ts";
import { createLoopbackTls, type LoopbackTls } from "./loopback-tls.ts";
import { type Mail, startMailSink } from "./mail-sink.ts";
import { untilStopped } from "./until-stopped.ts";
import { type Hook, startWebhookSink } from "./webhook-sink.ts";

export interface KeepOptions {
  folder: string;
  /** 0 for a free one. */
  mailPort: number;
  webhookPort: number;
  print(line: string): void;
}

/**
 * The demo's mail server and webhook receiver alone, for whoever tries notifications by hand: each message becomes a file
 * in the folder (`mail-1.eml`, `webhook-1.json`) and a line. Until Ctrl-C.
 */
export async function keepMessages({ folder, mailPort, webhookPort, print }: KeepOptions): Promise<void> {
  await mkdir(folder, { recursive: true });
  const keep = keeper(folder, print, await readdir(folder));
  const certificate = await certificateOf(folder);
  const takeMail = ({ to, subject, source }: Mail) => keep("mail", "eml", source, `to ${to.join(", ")}: ${subject}`);
  const takeHook = (hook: Hook) => keep("webhook", "json", JSON.stringify(hook, undefined, 2), typeOf(hook.body));
  const mail = await opened("--mail-port", mailPort, startMailSink(takeMail, mailPort));
  const webhook = await opened("--webhook-port", webhookPort, startWebhookSink(certificate, takeHook, webhookPort));
  print(`mails     ${mail.url}`);
  print(`webhooks  ${webhook.url}`);
  print(`what comes is kept in ${folder}; Ctrl-C ends it`);
  await untilStopped();
  mail.close();
  webhook.close();
}

async function opened<Sink>(option: string, port: number, opening: Promise<Sink>): Promise<Sink> {
  return await opening.catch((error: NodeJS.ErrnoException) => {
    throw error.code === "EADDRINUSE"
      ? new Error(`port ${port} is in use by another process; give another ${option}`)
      : error;
  });
}

/** Whoever tries the address with curl sends anything. */
function typeOf(body: string): string {
  try {
    return String(JSON.parse(body).type);
  } catch {
    return "no JSON";
  }
}

/** What is acknowledged to the sender is in its file. The numbers go on from those of an earlier run, whose files stay. */
function keeper(folder: string, print: (line: string) => void, there: readonly string[]) {
  const counts: Record<string, number> = {};
  for (const name of there) {
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

/** The folder's certificate, so that a service that trusts it goes on doing so; a new one when it has ended. */
async function certificateOf(folder: string): Promise<LoopbackTls> {
  const [keyFile, certFile] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const now = systemClock.now();
  try {
    const kept = { key: await readFile(keyFile, "utf8"), cert: await readFile(certFile, "utf8") };
    if (new X509Certificate(kept.cert).validToDate > now) return kept;
  } catch {
    // There is none yet.
  }
  const made = createLoopbackTls(now);
  await writeFile(keyFile, made.key, { mode: 0o600 });
  await writeFile(certFile, made.cert);
  return made;
}
