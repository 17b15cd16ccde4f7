import { isMusterError } from "../../src/lib/errors.ts";
import type { Registry } from "../harness/enrollment.ts";

/** One use case to run concurrently with others, as plain data that can be sent to another process. */
export type Job = { [Use in keyof Uses]: { use: Use; args: Parameters<Uses[Use]> } }[keyof Uses];

type Uses = Pick<
  Registry["enrollment"],
  | "createClaim"
  | "deleteDevice"
  | "issueBundle"
  | "redeemClaim"
  | "renewCertificate"
  | "revokeCertificate"
  | "revokeClaim"
> &
  Pick<Registry["access"], "changeUser" | "removeUser" | "renameFilter" | "saveFilter"> &
  Pick<Registry["connections"], "createMqttClient" | "enableMqttClient" | "rotateMqttClientPassword"> &
  Pick<Registry["devices"], "createDevice"> &
  Pick<Registry["identity"], "acceptInvite" | "completeReset" | "setUp"> &
  Pick<Registry["groups"], "createGroup"> &
  Pick<
    Registry["identity"],
    "giveFactor" | "givePasskey" | "completePasskeySignIn" | "removeFactor" | "removePasskey"
  > &
  Pick<Registry["notifications"], "addOwnChannel" | "testOwnNotifications"> &
  Pick<Registry["tickets"], "changeTicket" | "openTicket">;

/** `ok`, or the code of the error. An unexpected error is reported with its stack, so that no race can hide it. */
export interface Outcome {
  code: string;
  // biome-ignore lint/suspicious/noExplicitAny: the result of the use case; each race knows its type
  result?: any;
}

async function runJob(registry: Registry, job: Job): Promise<Outcome> {
  const { acceptInvite, completeReset, setUp } = registry.identity;
  const { changeUser, removeUser, renameFilter, saveFilter } = registry.access;
  const { addOwnChannel, testOwnNotifications } = registry.notifications;
  const uses = {
    addOwnChannel,
    changeUser,
    removeUser,
    renameFilter,
    saveFilter,
    testOwnNotifications,
    acceptInvite,
    completeReset,
    setUp,
    ...registry.enrollment,
    ...registry.tickets,
    createMqttClient: registry.connections.createMqttClient,
    enableMqttClient: registry.connections.enableMqttClient,
    rotateMqttClientPassword: registry.connections.rotateMqttClientPassword,
    createDevice: registry.devices.createDevice,
    createGroup: registry.groups.createGroup,
    giveFactor: registry.identity.giveFactor,
    givePasskey: registry.identity.givePasskey,
    completePasskeySignIn: registry.identity.completePasskeySignIn,
    removeFactor: registry.identity.removeFactor,
    removePasskey: registry.identity.removePasskey,
  };
  const run = uses[job.use] as (...args: unknown[]) => Promise<unknown>;
  try {
    return { code: "ok", result: await run(...job.args) };
  } catch (error) {
    if (isMusterError(error)) return { code: error.code };
    return { code: `unexpected: ${(error as Error).stack}` };
  }
}

/**
 * The size of a process's connection pool. A job that gets no connection within 1.5 s fails, which tells nothing about
 * the race.
 */
const AT_ONCE = 10;

/**
 * Runs the jobs, {@link AT_ONCE} at a time.
 * @returns their outcomes in the order of the jobs
 */
export async function runJobs(registry: Registry, jobs: readonly Job[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const rest = jobs.entries();
  const runRest = async () => {
    for (const [at, job] of rest) outcomes[at] = await runJob(registry, job);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, runRest));
  return outcomes;
}
