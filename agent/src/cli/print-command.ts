import { isUtf8 } from "node:buffer";
import type { Command } from "../commands.ts";

/**
 * Prints a command to stdout as one line of JSON. Resolves when the line is written, and only then is the command
 * acknowledged.
 */
export function printCommand({ topic, payload, commandId }: Command): Promise<void> {
  const body = isUtf8(payload) ? { payload: payload.toString("utf8") } : { payloadBase64: payload.toString("base64") };
  return new Promise((resolve, reject) => {
    process.stdout.write(`${JSON.stringify({ topic, ...body, commandId })}\n`, (error) =>
      error ? reject(error) : resolve(),
    );
  });
}
