import { type ChildProcess, spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { NewStream } from "../../../src/notifications/audit-stream/manage-stream.ts";
import { selfSigned } from "../http/sinks.ts";

/** An audit entry as it was received. */
export interface Entry {
  id: string;
  act?: string;
  after?: { name?: string };
}

/** A program of another maker that receives audit streams; it is not running at first. */
export interface Receiver {
  readonly stream: NewStream;
  /** The file with the certificate that a client must trust. */
  readonly certFile: string;
  start(): Promise<void>;
  stop(signal?: NodeJS.Signals): Promise<void>;
  /** Returns what it has received, with repetitions, in order. */
  entries(): Promise<Entry[]>;
  /** Stops it and removes its files. */
  remove(): Promise<void>;
}

/** The command that runs a program as receiver. */
export interface Program {
  kind: NewStream["kind"];
  /** The address for clients. */
  target(port: number): string;
  /** Writes its configuration. @returns its command line */
  configure(of: Files): Promise<{ command: string; args: string[]; env?: Record<string, string> }>;
  /** Returns the JSON text in a line of its output; `undefined` for other lines. */
  entryIn(line: string): string | undefined;
}

export interface Files {
  folder: string;
  certFile: string;
  keyFile: string;
  port: number;
  /** The file in which it writes what it receives; its standard output goes there, too. */
  received: string;
}

export async function newReceiver(program: Program): Promise<Receiver> {
  const { folder: tls, certFile, cert } = selfSigned();
  const folder = await mkdtemp(join(tmpdir(), "muster-receiver-"));
  const files = {
    folder,
    certFile,
    keyFile: join(tls, "key"),
    port: await freePort(),
    received: join(folder, "received"),
  };
  const { command, args, env } = await program.configure(files);
  let running: ChildProcess | undefined;
  const stop = async (signal: NodeJS.Signals = "SIGTERM") => {
    const ending = running;
    running = undefined;
    if (!ending || ending.exitCode !== null || ending.signalCode !== null) return;
    const exited = new Promise((done) => ending.once("exit", done));
    ending.kill(signal);
    await exited;
  };
  return {
    stream: { kind: program.kind, target: program.target(files.port), caPem: program.kind === "syslog" ? cert : null },
    certFile,
    async start() {
      running = spawn(command, args, { stdio: ["ignore", "pipe", "ignore"], env: { ...process.env, ...env } });
      running.stdout!.pipe(createWriteStream(files.received, { flags: "a" }));
    },
    stop,
    async entries() {
      const lines = (await readFile(files.received, "utf8").catch(() => "")).split("\n");
      return lines.flatMap((line) => parsed(program.entryIn(line)));
    },
    async remove() {
      await stop();
      for (const each of [folder, tls]) await rm(each, { recursive: true, force: true });
    },
  };
}

/** The last line may be written only in part. */
function parsed(text: string | undefined): Entry[] {
  if (text === undefined) return [];
  try {
    return [JSON.parse(text)];
  } catch {
    return [];
  }
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((done) => probe.listen(0, "127.0.0.1", done));
  const { port } = probe.address() as { port: number };
  await new Promise((done) => probe.close(done));
  return port;
}

/** Returns the entries in the order in which they first arrived, each once. */
export function distinct<E extends { id: string }>(entries: readonly E[]): E[] {
  const first = new Map<string, E>();
  for (const entry of entries) if (!first.has(entry.id)) first.set(entry.id, entry);
  return [...first.values()];
}
