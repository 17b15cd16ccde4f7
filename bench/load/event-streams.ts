import { connect, type TLSSocket } from "node:tls";
import { within } from "../measure.ts";
import type { HttpsTarget } from "./https-client.ts";

/** An open event stream of the admin app; what arrives is counted and dropped, so that reading costs little. */
export interface OpenStream {
  readonly bytes: number;
  close(): void;
}

/** Opens `GET /api/admin/events` with telemetry of `deviceIds`; resolves when it says that it is ready. */
export async function openStream(
  { port, ca }: HttpsTarget,
  cookie: string,
  deviceIds: readonly string[],
): Promise<OpenStream> {
  const socket = connect({ host: "127.0.0.1", port, ca, servername: "localhost" });
  const state = { bytes: 0 };
  const ready = new Promise<void>((resolve, reject) => {
    socket.once("error", reject);
    socket.once("close", () => reject(new Error("the stream was closed")));
    socket.on("data", (chunk: Buffer) => {
      state.bytes += chunk.length;
      if (state.bytes < 4096 && chunk.includes("event: ready")) resolve();
      else if (state.bytes < 4096 && !chunk.includes("200 OK")) reject(new Error(chunk.toString("latin1")));
    });
  });
  send(socket, cookie, deviceIds);
  await within(10, () => "an event stream", ready);
  return {
    get bytes() {
      return state.bytes;
    },
    close: () => socket.destroy(),
  };
}

function send(socket: TLSSocket, cookie: string, deviceIds: readonly string[]): void {
  const lines = [
    `GET /api/admin/events?telemetry=${deviceIds.join(",")} HTTP/1.1`,
    "host: localhost",
    `cookie: ${cookie}`,
    "sec-fetch-site: same-origin",
    "accept: text/event-stream",
  ];
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
}
