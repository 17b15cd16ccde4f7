import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import {
  distinct,
  type Entry,
  newReceiver,
  type Program,
  type Receiver,
} from "../../server/test/harness/audit-receivers/receiver.ts";
import { type ServerProcess, startProcess } from "../../server/test/harness/processes/process.ts";
import { clockFrom } from "../../server/test/harness/processes/shifted-clock.ts";
import { newBrowser } from "../../server/test/harness/sign-in.ts";

const HOUR_MS = 3_600_000;
const PASSWORD = "nine patient herons wade";
/** The acts of a phase. */
const ACTS = 150;
const DEADLINE_MS = 180_000;

/** The figures of a proof. */
export interface Proof {
  /** The entries whose acts were answered. */
  sent: number;
  /** With repetitions. */
  received: number;
  seconds: number;
}

/** Proves that a receiver gets every entry of an audit in order, whatever is killed meanwhile. */
export async function proveStream(program: Program): Promise<Proof> {
  const started = performance.now();
  const receiver = await newReceiver(program);
  const service = await startService(receiver);
  try {
    await receiver.start();
    await service.act(ACTS);
    await receiver.stop();
    await service.act(ACTS);
    await service.kill();
    await service.start(HOUR_MS);
    await service.act(ACTS);
    await receiver.start();
    await grown(receiver);
    await service.kill();
    await service.start(HOUR_MS);
    await Promise.all([service.act(ACTS), setTimeout(1_000).then(() => receiver.stop("SIGKILL"))]);
    await receiver.start();
    await service.act(ACTS);
    await delivered(service, receiver);
    const entries = (await receiver.entries()).filter(({ act }) => act === "group.update");
    const first = distinct(entries).map(nameOf);
    assert.deepEqual(first, service.names, "the entries in the order in which they first arrived");
    const seconds = Math.round((performance.now() - started) / 1_000);
    return { sent: first.length, received: entries.length, seconds };
  } finally {
    await service.remove();
    await receiver.remove();
  }
}

const nameOf = ({ after }: Entry) => after?.name;

/** Waits until the receiver has got something of what has waited. */
async function grown(receiver: Receiver): Promise<void> {
  const before = (await receiver.entries()).length;
  await until(
    async () => (await receiver.entries()).length > before,
    () => "the receiver gets nothing",
  );
}

async function delivered(service: Service, receiver: Receiver): Promise<void> {
  let stream: { waiting: number } | undefined;
  const isDone = async () => {
    ({ stream } = await service.call("GET", "/audit/stream"));
    const isLast = (entry: Entry) => nameOf(entry) === service.names.at(-1);
    return stream?.waiting === 0 && distinct(await receiver.entries()).some(isLast);
  };
  await until(isDone, () => `the stream does not end: ${JSON.stringify(stream)}`);
}

async function until(holds: () => Promise<boolean>, otherwise: () => string): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(otherwise());
    // A session may send 600 requests a minute.
    await setTimeout(250);
  }
}

type Service = Awaited<ReturnType<typeof startService>>;

/** Starts a service with a tenant whose audit goes to the receiver. */
async function startService({ stream, certFile }: Receiver) {
  const dataDir = await mkdtemp(join(tmpdir(), "muster-audit-"));
  const env = {
    MUSTER_WEBHOOK_ALLOW_PRIVATE: "true",
    NODE_EXTRA_CA_CERTS: certFile,
  };
  const started = (aheadMs: number) =>
    startProcess(dataDir, undefined, { env: { ...env, ...clockFrom(new Date(Date.now() + aheadMs)) } });
  let server: ServerProcess = await started(0);
  let browser: ReturnType<typeof newBrowser>;
  const email = "ada@acme.example";
  await server.command("tenant.create", { slug: "acme", name: "Acme" });
  const { password: drawn } = await server.command("user.create", { tenant: "acme", email, role: "admin" });

  async function call(method: string, path: string, body?: unknown) {
    const answer = await browser.call(method, path, body === undefined ? {} : { body });
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`);
    return answer.json;
  }
  async function enter(password: string): Promise<void> {
    browser = newBrowser(server);
    await call("POST", "/session", { email, password });
  }
  await enter(drawn);
  await call("PUT", "/password", { currentPassword: drawn, newPassword: PASSWORD });
  const group = await call("POST", "/groups", { name: "Pumps" });
  await call("PUT", "/audit/stream", stream);
  const names: string[] = [];
  return {
    names,
    call,
    /** Changes a record, again and again. */
    async act(times: number): Promise<void> {
      for (let n = 0; n < times; n++) {
        const name = `pumps ${names.length}`;
        await call("PATCH", `/groups/${group.id}`, { name });
        names.push(name);
      }
    },
    kill: () => server.end("SIGKILL"),
    /** Starts it again, with its clock ahead. */
    async start(aheadMs: number): Promise<void> {
      server = await started(aheadMs);
      await enter(PASSWORD);
    },
    async remove(): Promise<void> {
      await server.end("SIGKILL");
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
