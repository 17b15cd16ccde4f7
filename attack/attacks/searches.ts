import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { type HttpsTarget, openHttps } from "../../load/https-client.ts";
import { sleep } from "../../load/measure.ts";
import { setUpTenant } from "../../load/tenant.ts";
import { liftTimeLimit } from "../../server/src/db/time-limit.ts";
import type { Attack } from "../attack.ts";

const TENANT = "searches";
const DEVICES = { short: 20_000, full: 100_000 };
const KEYS = 5;
/** The requests that a key admits in a minute; all at once, as it may. */
const REQUESTS_A_KEY = 120;
/** The connections of one key. */
const CONNECTIONS = 8;
const AGAIN_MS = 5_000;

interface Plan {
  readonly target: HttpsTarget;
  readonly keys: readonly string[];
}

export const searches: Attack<Plan> = {
  name: "searches",
  what: `${KEYS} keys at their limit search a tenant's devices for a text that none has`,

  async seed(database, { short }) {
    const tenantId = randomUUID();
    await database.db.transaction().execute(async (tx) => {
      await liftTimeLimit(tx);
      await sql`
        INSERT INTO tenants (id, slug, name, created_at) VALUES (${tenantId}, ${TENANT}, ${TENANT}, now())`.execute(tx);
      await sql`
        INSERT INTO devices (uid, tenant_id, id, name, hardware_model, agent_version, created_at, updated_at)
        SELECT gen_random_uuid(), ${tenantId}, 'pump-' || n, 'Feed pump ' || n, 'PG-200', '2.4.1', now(), now()
          FROM generate_series(1, ${short ? DEVICES.short : DEVICES.full}::int) n`.execute(tx);
    });
  },

  async prepare({ service }) {
    const tenant = await setUpTenant(service, TENANT);
    return { target: service.https, keys: await Promise.all(Array.from({ length: KEYS }, () => tenant.newKey())) };
  },

  async assault({ target, keys }, { ended, begun }) {
    let [answered, limited] = [0, 0];
    begun();
    const search = async (key: string): Promise<void> => {
      const client = await openHttps(target);
      for (let n = 0; n < REQUESTS_A_KEY / CONNECTIONS && !ended.aborted; n++) {
        const answer = await client.send("GET", `/api/v1/devices?q=zzq${n}`, "", { "x-api-key": key });
        if (answer.status === 200) answered++;
        else limited++;
      }
      client.close();
    };
    while (!ended.aborted) {
      await Promise.all(
        keys.flatMap((key) => Array.from({ length: CONNECTIONS }, () => search(key).catch(() => limited++))),
      );
      await sleep(AGAIN_MS);
    }
    return { count: answered, text: `${answered} searches, ${limited} refused` };
  },
};
