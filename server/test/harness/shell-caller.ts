import type { Access, Caller } from "../../src/access/access.ts";

/** The shell's caller for a user named by the email address alone. */
export async function callerForUser(access: Access, email: string): Promise<Caller> {
  return await access.systemCaller(await access.tenantOfUser(email));
}

/** The shell's caller for an API key named by its id alone. */
export async function callerForKey(access: Access, id: string): Promise<Caller> {
  return await access.systemCaller(await access.tenantOfKey(id));
}
