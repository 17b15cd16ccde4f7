import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type HttpsTarget, openHttps } from "../../load/https-client.ts";
import { newDataDir, type Shell, startMuster } from "../../load/muster.ts";
import { SCOPES } from "../../server/src/access/access.ts";

/** A live service with one tenant, whose key has every scope. */
export interface LiveService {
  readonly baseUrl: string;
  readonly key: string;
  /** The file that verifies its certificates. */
  readonly caFile: string;
  readonly adminId: string;
  readonly shell: Shell;
  /** Writes the description of one surface, as the service serves it, to a file and returns its path. */
  description(surface: "public" | "device"): Promise<string>;
  stop(): Promise<void>;
}

export const TENANT = "acme";
const ADMIN = "admin@acme.example";

/** Starts `muster serve` on an embedded database in a temporary folder. */
export async function startLive(settings: Record<string, string> = {}): Promise<LiveService> {
  const folder = newDataDir();
  const muster = await startMuster(folder.path, undefined, settings).catch((error) => {
    folder.remove();
    throw error;
  });
  const stop = () => muster.stop().finally(() => folder.remove());
  try {
    await muster.shell("tenant.create", { slug: TENANT, name: "Acme waterworks" });
    const { id } = await muster.shell("user.create", { tenant: TENANT, email: ADMIN, role: "admin" });
    const wanted = { tenant: TENANT, user: ADMIN, name: "clients", scopes: [...SCOPES] };
    const { key } = await muster.shell("key.create", wanted);
    const caFile = join(folder.path, "clients-ca.pem");
    writeFileSync(caFile, muster.https.ca);
    const baseUrl = `https://localhost:${muster.https.port}`;
    const description = async (surface: "public" | "device") => {
      const file = join(folder.path, `${surface}.json`);
      writeFileSync(file, await get(muster.https, `/openapi/${surface}.json`));
      return file;
    };
    return { baseUrl, key, caFile, adminId: id, shell: muster.shell, description, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function get(target: HttpsTarget, path: string): Promise<string> {
  const client = await openHttps(target);
  try {
    const { status, body } = await client.send("GET", path);
    if (status !== 200) throw new Error(`GET ${path}: ${status}`);
    return body;
  } finally {
    client.close();
  }
}
