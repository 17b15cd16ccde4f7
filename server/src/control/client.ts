import { request } from "node:http";
import { requireOwnFolder, socketPath } from "./socket-path.ts";

/** No service answers on the data folder's socket. */
export class NotRunningError extends Error {
  override readonly name = "NotRunningError";
}

/** The reason why the service refused a command. */
export type ControlProblem = {
  error: string;
  message: string;
  /** The offending value. */
  detail?: string;
};

export type ControlAnswer = { ok: true; result: Record<string, unknown> } | { ok: false; problem: ControlProblem };

/**
 * Sends one command to the service of `dataDir`.
 *
 * @throws {NotRunningError} if there is none
 * @throws {Error} if the socket may not be used
 */
export async function sendSubcommand(dataDir: string, name: string, body: object): Promise<ControlAnswer> {
  await requireOwnFolder(dataDir).catch((error: NodeJS.ErrnoException) => {
    throw error.code === "ENOENT" ? notRunning(dataDir) : error;
  });
  const { status, text } = await post(socketPath(dataDir), name, JSON.stringify(body)).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT" || error.code === "ECONNREFUSED" || error.code === "ENOTDIR")
        throw notRunning(dataDir);
      if (error.code === "EACCES")
        throw new Error(
          `the service of ${dataDir} belongs to another user of this machine; run the command as that user`,
        );
      throw error;
    },
  );
  const answer = JSON.parse(text);
  return status === 200 ? { ok: true, result: answer } : { ok: false, problem: answer };
}

function notRunning(dataDir: string): NotRunningError {
  return new NotRunningError(
    `no muster service is running on the data folder ${dataDir}: start it with npm start, or set MUSTER_DATA_DIR to the data folder of a running service`,
  );
}

function post(path: string, name: string, body: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { socketPath: path, path: `/${name}`, method: "POST", headers: { "content-type": "application/json" } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString("utf8") }),
        );
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });
}
