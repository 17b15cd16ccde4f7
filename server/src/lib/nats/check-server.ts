import type { NatsConnection, ServerInfo } from "@nats-io/transport-node";
import { withTimeout } from "../timeouts.ts";
import type { NatsSettings } from "./nats-settings.ts";

const PROBE_MS = 2_000;

/** Returns the reason, as a sentence, why a process cannot use a NATS server; `undefined` if it can. */
export function serverProblem(
  { version, max_payload: payload }: Pick<ServerInfo, "version" | "max_payload">,
  { versionFloor, payloadBytes }: Pick<NatsSettings, "versionFloor" | "payloadBytes">,
): string | undefined {
  if (isOlder(version, versionFloor))
    return `the NATS server has version ${version}: Muster needs ${versionFloor} or later`;
  if (payload < payloadBytes)
    return `the NATS server accepts messages of at most ${payload} bytes: set max_payload to ${payloadBytes} or more (muster nats config prints a configuration)`;
  return undefined;
}

/**
 * Sends a message to this process and waits for it.
 *
 * @throws Error if the connection's user lacks a permission
 */
export async function checkPermissions(connection: NatsConnection, subject: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const probe = connection.subscribe(subject, { max: 1, callback: (error) => (error ? reject(error) : resolve()) });
  connection.publish(subject);
  try {
    await withTimeout(promise, PROBE_MS, () => {
      throw new Error("a message to itself did not arrive");
    });
  } catch (error) {
    const why = (error as Error).message;
    throw new Error(
      `NATS does not let this user publish and subscribe to muster.> (${why}): muster nats config prints the permissions`,
    );
  } finally {
    probe.unsubscribe();
  }
}

function isOlder(version: string, floor: string): boolean {
  const [parts, least] = [version, floor].map((text) => text.split(".").map((part) => Number.parseInt(part, 10)));
  for (const [index, wanted] of least!.entries()) {
    const part = parts![index] ?? 0;
    if (part !== wanted) return part < wanted;
  }
  return false;
}
