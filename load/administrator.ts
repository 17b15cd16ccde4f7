import { openHttps } from "./https-client.ts";
import type { MusterProcess } from "./muster.ts";

const PASSWORD = "nine benches in a row";

/** A user of the admin app. */
export interface Administrator {
  /** Signs in and returns the cookie of a new session. */
  newSession(): Promise<string>;
}

/** Creates a user of the tenant and chooses a password, as the first sign-in requires. */
export async function createAdministrator(
  { https, shell }: Pick<MusterProcess, "https" | "shell">,
  tenant: string,
  { name = "app", role = "admin" } = {},
): Promise<Administrator> {
  const email = `${name}@${tenant}.example`;
  const { password: drawn } = await shell("user.create", { tenant, email, role });
  const call = async (method: string, path: string, body: object, cookie = ""): Promise<string> => {
    const client = await openHttps(https);
    const headers = { "sec-fetch-site": "same-origin", ...(cookie && { cookie }) };
    const answer = await client.send(method, `/api/admin/${path}`, JSON.stringify(body), headers);
    client.close();
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.body}`);
    return /\r\nset-cookie: *(__Host-muster=[^;\r]*)/i.exec(answer.head)?.[1] ?? "";
  };
  const signIn = (password: string) => call("POST", "session", { email, password });
  await call("PUT", "password", { currentPassword: drawn, newPassword: PASSWORD }, await signIn(drawn));
  return { newSession: () => signIn(PASSWORD) };
}
