import { adminUseCase, lockOwner, type PreparedChange } from "../access/access.ts";
import { notFound } from "../lib/request-errors.ts";
import { hashClientPassword, newClientPassword } from "./client-password.ts";
import type { ConnectionsDeps } from "./deps.ts";
import { DROP_TIMEOUT_MS, type Drops } from "./drops/drops.ts";
import { type DropNumbers, enqueueDrops } from "./drops/enqueue-drop-store.ts";
import { replacePassword } from "./mqtt-client-store.ts";

/**
 * Gives an MQTT client a new password, which is shown only in this result. The old one is refused from now on, and the
 * client's session is closed, in whichever process, before this returns. The caller answers for the client from now on,
 * which ends a suspension.
 *
 * @throws {MusterError} not_found for a client id without an enabled client; insufficient_role for a former admin
 */
export const rotateMqttClientPassword = adminUseCase(
  { scope: "mqtt-clients:write", role: "admin" },
  "mqtt-client.rotate-password",
  async (
    { clock, ids, drops }: ConnectionsDeps & { drops: Drops },
    caller,
    clientId: string,
  ): Promise<PreparedChange<{ clientId: string; username: string; password: string }>> => {
    const password = newClientPassword(ids);
    let numbers: DropNumbers;
    return {
      change: async (tx) => {
        const secret = { passwordHash: hashClientPassword(password), owner: await lockOwner(tx, caller) };
        const client = await replacePassword(tx, caller.tenantId, clientId, secret);
        if (client === undefined) throw notFound("MQTT client");
        const { id, username } = client;
        const drop = {
          mqttClientId: id,
          clientId,
          reason: "password_replaced",
          staysValid: true,
          toEveryNode: true,
        } as const;
        numbers = await enqueueDrops(tx, drop, clock.now());
        return { target: clientId, after: { id, username }, result: { clientId, username, password } };
      },
      committed: async () => void (await drops.awaitDrops(numbers, DROP_TIMEOUT_MS)),
    };
  },
);
