import { createECDH } from "node:crypto";
import { useCase } from "../../access/access.ts";
import { inTransaction } from "../../db/transaction.ts";
import { addMs, DAY } from "../../lib/clock.ts";
import { LIMITS } from "../../lib/limits/limits.ts";
import { invalidRequest, rateLimited } from "../../lib/request-errors.ts";
import { plainLine } from "../../lib/text.ts";
import type { NotificationsDeps } from "../deps.ts";
import { integrationOwner } from "../integrations/integration-store.ts";
import { wrongUrl } from "../integrations/registry.ts";
import { makePublicKey } from "../push/push-key-store.ts";
import { countNamed, insertChannel, listChannelRows, lockOwn, nameAddress } from "./own-channel-store.ts";
import { ownerOf } from "./own-channels.ts";
import { insertBrowser } from "./own-push-store.ts";

/** The subscription of a browser to its push service (W3C Push API). */
export interface PushSubscription {
  endpoint: string;
  /** The keys in base64url. */
  p256dh: string;
  auth: string;
  /** The browser as its user knows it. */
  name: string;
}

const MOST_ENDPOINT = 1_024;

/** Returns the public key that browsers name when they subscribe (`applicationServerKey`), in base64url. */
export const getPushKey = useCase(
  { role: "viewer" },
  async (deps: NotificationsDeps, _caller): Promise<{ publicKey: string }> => ({
    publicKey: (await makePublicKey(deps)).toString("base64url"),
  }),
);

/**
 * Adds the caller's browser as a channel, which is used once the link in its first notification is confirmed. A browser
 * that subscribes again replaces its former channel.
 *
 * @throws MusterError invalid_request; rate_limited
 */
export const addOwnPush = useCase(
  { role: "viewer" },
  async (deps: NotificationsDeps, caller, input: PushSubscription): Promise<{ id: string }> => {
    const { clock, database, ids, secrets } = deps;
    const owner = ownerOf(caller);
    const { endpoint, p256dh, auth } = checkSubscription(input);
    const name = plainLine("name", input.name);
    await makePublicKey(deps);
    return await inTransaction(database.db, async (tx) => {
      const now = clock.now();
      const [id, target] = [ids.uuid(now), ids.uuid(now)];
      const secret = Buffer.from(JSON.stringify({ endpoint, p256dh, auth }));
      const sealed = await secrets.seal(tx, secret, integrationOwner(owner.tenantId, target));
      await lockOwn(tx, owner.userId);
      if ((await countNamed(tx, owner.userId, addMs(now, -DAY))) >= LIMITS.channelsOfUserPerDay.value)
        throw rateLimited("You have named many addresses today. Try again tomorrow.", DAY / 1_000);
      await insertBrowser(tx, owner, { id: target, name, sealed, endpoint }, now);
      await insertChannel(tx, owner, { id, type: "integration", target }, now);
      await nameAddress(tx, owner, { type: "integration", target, again: false }, now);
      const most = LIMITS.channelsOfUser.value;
      if ((await listChannelRows(tx, owner)).length > most)
        throw invalidRequest(`You can have at most ${most} channels of your own.`, "endpoint");
      return { id };
    });
  },
);

/** @throws MusterError invalid_request with the field in `detail` */
function checkSubscription({ endpoint, p256dh, auth }: PushSubscription): Omit<PushSubscription, "name"> {
  const wrong = endpoint.length > MOST_ENDPOINT ? `have at most ${MOST_ENDPOINT} characters` : wrongUrl(endpoint);
  if (wrong !== undefined) throw invalidRequest(`endpoint must ${wrong}`, "endpoint");
  if (!isPoint(Buffer.from(p256dh, "base64url"))) throw invalidRequest("p256dh must be a point of P-256", "p256dh");
  if (Buffer.from(auth, "base64url").length !== 16) throw invalidRequest("auth must have 16 octets", "auth");
  return { endpoint, p256dh, auth };
}

/** Checks whether a key can be agreed with this public key. */
function isPoint(key: Buffer): boolean {
  const ecdh = createECDH("prime256v1");
  ecdh.generateKeys();
  try {
    return key.length === 65 && ecdh.computeSecret(key).length === 32;
  } catch {
    return false;
  }
}
