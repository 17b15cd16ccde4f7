import { request } from "node:https";
import { text } from "node:stream/consumers";
import type { Service } from "../service.ts";

const PASSWORD = "nine attacks in a row";

/** Creates an admin of the tenant who has chosen a password. @returns the cookie of the session */
export async function openSession(service: Service, tenant: string): Promise<string> {
  const email = `session@${tenant}.example`;
  const { password } = await service.command("user.create", { tenant, email, role: "admin" });
  const cookie = await call(service, "POST", "session", { email, password });
  await call(service, "PUT", "password", { currentPassword: password, newPassword: PASSWORD }, cookie);
  return await call(service, "POST", "session", { email, password: PASSWORD });
}

/** @returns the cookie that the answer sets */
function call({ https }: Service, method: string, path: string, body: object, cookie = ""): Promise<string> {
  const content = JSON.stringify(body);
  const headers = {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(content),
    "sec-fetch-site": "same-origin",
    cookie,
  };
  const to = { host: "127.0.0.1", port: https.port, ca: https.ca, servername: "localhost" };
  return new Promise((resolve, reject) => {
    const sent = request({ ...to, method, path: `/api/admin/${path}`, headers }, async (response) => {
      const answer = await text(response);
      if (response.statusCode! >= 300) return reject(new Error(`${path}: ${response.statusCode} ${answer}`));
      const cookies = (response.headers["set-cookie"] ?? []).find((each) => each.startsWith("__Host-muster="));
      resolve(cookies?.split(";")[0] ?? "");
    });
    sent.on("error", reject);
    sent.end(content);
  });
}
