import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import type { Role } from "../../src/access/access.ts";
import type { TestTenant } from "./devices.ts";
import type { HttpAnswer } from "./http/http-answer.ts";
import { type HttpOptions, https } from "./http/https.ts";
import type { TestServer } from "./server.ts";

/** A signed-in user in a separate browser, which sends cookie and origin with every request. */
export interface SignedIn {
  userId: string;
  email: string;
  password: string;
  role: Role;
  /** The cookies of the browser, as its next request sends them. */
  readonly cookie: string;
  /** Sends a request below `/api/admin`, such as `call("GET", "/session")`, and keeps the cookies of the answer. */
  call(method: string, path: string, options?: Pick<HttpOptions, "body" | "headers">): Promise<HttpAnswer>;
}

/** A password that meets the rules. */
export const PASSWORD = "four-legged elephants dance";

/** Invites a user with this role, who accepts and is signed in. */
export async function signIn(
  server: TestServer,
  tenant: Pick<TestTenant, "caller">,
  role: Role = "admin",
): Promise<SignedIn> {
  const email = `${role}-${randomBytes(6).toString("hex")}@example.com`;
  const { url } = await server.app.identity.inviteUser(tenant.caller, { email, role });
  const browser = newBrowser(server);
  const body = { token: tokenOf(url), password: PASSWORD };
  const answer = await browser.call("POST", "/invites/accept", { body });
  assert.equal(answer.status, 201, answer.text);
  return {
    userId: answer.json.user.id,
    email,
    password: PASSWORD,
    role,
    call: browser.call,
    get cookie() {
      return browser.cookie();
    },
  };
}

/** Returns the token of a link: the part after `#`. */
export function tokenOf(url: string): string {
  return new URL(url).hash.slice(1);
}

/** Opens a browser at the admin app, without a session at first. */
export function newBrowser(server: Pick<TestServer, "httpUrl" | "ca">) {
  const cookies = new Map<string, string>();
  const cookie = () => [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  return {
    cookies,
    cookie,
    async call(method: string, path: string, { body, headers = {} }: Pick<HttpOptions, "body" | "headers"> = {}) {
      const answer = await https(`${server.httpUrl}/api/admin${path}`, {
        method,
        ca: server.ca,
        headers: { "sec-fetch-site": "same-origin", ...(cookies.size > 0 ? { cookie: cookie() } : {}), ...headers },
        ...(body === undefined ? {} : { body }),
      });
      for (const set of [answer.headers["set-cookie"] ?? []].flat()) {
        const [, name, value, maxAge] = /^([^=]+)=([^;]*);.*Max-Age=(\d+)/.exec(set)!;
        if (maxAge === "0") cookies.delete(name!);
        else cookies.set(name!, value!);
      }
      return answer;
    },
  };
}
