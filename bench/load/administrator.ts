import { request } from "node:https";
import { text } from "node:stream/consumers";
import type { MusterProcess } from "../peers/muster.ts";

const PASSWORD = "nine benches in a row";

/** A user of the admin app, with sessions of their own. */
export interface Administrator {
  /** Signs in. @returns the cookie of a new session */
  newSession(): Promise<string>;
}

/** Makes a user of the tenant who has chosen a password, as the first sign-in asks for. */
export async function createAdministrator(
  muster: MusterProcess,
  tenant: string,
  { name = "app", role = "admin" } = {},
): Promise<Administrator> {
  const email = `${name}@${tenant}.example`;
  const drawn = muster.command("user", "create", "--tenant", tenant, "--email", email, "--role", role).password;
  const cookie = await call(muster, "POST", "session", { email, password: drawn });
  await call(muster, "PUT", "password", { currentPassword: drawn, newPassword: PASSWORD }, cookie);
  return { newSession: () => call(muster, "POST", "session", { email, password: PASSWORD }) };
}

/** @returns the cookie that the answer sets */
function call({ https }: MusterProcess, method: string, path: string, body: object, cookie?: string): Promise<string> {
  const content = JSON.stringify(body);
  const headers = {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(content),
    "sec-fetch-site": "same-origin",
    ...(cookie === undefined ? {} : { cookie }),
  };
  const to = { host: "127.0.0.1", port: https.port, ca: https.ca, servername: "localhost" };
  return new Promise((resolve, reject) => {
    const sent = request({ ...to, method, path: `/api/admin/${path}`, headers }, async (response) => {
      const answer = await text(response);
      if (Math.floor(response.statusCode! / 100) !== 2)
        return reject(new Error(`${path}: ${response.statusCode} ${answer}`));
      const session = (response.headers["set-cookie"] ?? []).find((each) => each.startsWith("__Host-muster="));
      resolve(session?.split(";")[0] ?? "");
    });
    sent.on("error", reject);
    sent.end(content);
  });
}
