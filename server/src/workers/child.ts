import { type App, createApp } from "../app.ts";
import { loadConfig } from "../config/config.ts";
import { createLogger } from "../lib/logger.ts";
import type { Part, Role } from "../process/part.ts";
import type { ToSupervisor, ToWorker } from "./messages.ts";
import { Restarts } from "./restarts.ts";
import { startApp, untilStopped, writeCa } from "./run-app.ts";

/**
 * Runs one worker, started by the supervisor as `child.ts <role> <name> <workers>`. It stops when the supervisor ends.
 */
const [role, name, workers] = process.argv.slice(2) as [Role, string, string];
process.exitCode = await run().catch((error: Error) => {
  send({ type: "failed", message: error.message });
  return 1;
});
// Disconnecting first sends the pending messages to the supervisor.
if (process.connected) process.disconnect();
process.exit();

async function run(): Promise<number> {
  const ended = new Promise<string>((resolve) => process.once("disconnect", () => resolve("supervisor ended")));
  const config = loadConfig();
  const logger = createLogger(config.logLevel).child({ worker: name });
  const restarts = new Restarts(() => send({ type: "restart" }));
  const part: Part = { role, workers: Number(workers), restart: () => restarts.ask() };
  const app = await createApp(config, { logger }, part);
  const stopped = untilStopped(app, ended);
  await startApp(app);
  process.on("message", (message: ToWorker) => {
    const handling = handle(app, restarts, message);
    handling.catch((error: Error) => logger.warn({ err: error.message, type: message.type }, "a worker's task failed"));
  });
  const urls = { nodeId: app.nodeId!, httpUrl: app.baseUrl, brokerUrl: app.brokerUrl };
  if (role === "jobs") {
    const caFile = await writeCa(app, config);
    const link = await app.identity.firstSetUpLink();
    const shown = link && { link: { url: link.url, expiresAt: link.expiresAt.toISOString() } };
    send({ type: "ready", ...urls, caFile, ...shown });
  } else send({ type: "ready", ...urls });
  return await stopped;
}

async function handle(app: App, restarts: Restarts, message: ToWorker): Promise<void> {
  if (message.type === "metrics") send({ type: "metrics", id: message.id, metrics: await app.metrics.json() });
  else if (message.type === "reap") await app.connections.reapNode(message.nodeId);
  else restarts.answered(message);
}

function send(message: ToSupervisor): void {
  if (process.connected) process.send!(message);
}
