import type { Access, Caller } from "../../src/access/access.ts";

/** Returns the shell's caller for a user known only by the e-mail address. */
export async function callerForUser(access: Access, email: string): Promise<Caller> {
  return await access.systemCaller(await access.tenantOfUser(email));
}

/** Returns the shell's caller for an API key known only by its id. */
export async function callerForKey(access: Access, id: string): Promise<Caller> {
  return await access.systemCaller(await access.tenantOfKey(id));
}
