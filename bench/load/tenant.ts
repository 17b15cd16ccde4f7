import type { MusterProcess } from "../peers/muster.ts";
import { openHttps } from "./https-client.ts";

/** A tenant of a fresh installation, with a device type and keys that hold the scopes of the rows. */
export interface BenchTenant {
  readonly deviceTypeId: string;
  /** A key is limited to 120 requests a minute, so a row uses several. */
  newKey(): string;
}

const SCOPES = ["provisioning:write", "device-certificates:read", "device-certificates:revoke"];

export function createTenant(muster: MusterProcess): BenchTenant {
  muster.command("tenant", "create", "bench", "--name", "Bench");
  const email = "admin@bench.example";
  muster.command("user", "create", "--tenant", "bench", "--email", email, "--role", "admin");
  const type = muster.command(
    ...["device-type", "create", "--tenant", "bench", "--name", "Pump", "--topic", "telemetry/{deviceId}"],
  );
  const scopes = SCOPES.flatMap((scope) => ["--scope", scope]);
  return {
    deviceTypeId: type.id,
    newKey: () =>
      muster.command("key", "create", "--tenant", "bench", "--user", email, "--name", "bench", ...scopes).key,
  };
}

const CLAIMS_A_KEY = 100;
export const USES_A_CLAIM = 100;

/** Creates claims through the public API. @returns their codes, enough for `uses` redemptions */
export async function createClaims(muster: MusterProcess, tenant: BenchTenant, uses: number): Promise<string[]> {
  const client = await openHttps(muster.https);
  const codes: string[] = [];
  const body = JSON.stringify({
    intendedName: "Bench",
    intendedDeviceTypeId: tenant.deviceTypeId,
    maxUses: USES_A_CLAIM,
  });
  let key = "";
  for (let made = 0; made * USES_A_CLAIM < uses; made++) {
    if (made % CLAIMS_A_KEY === 0) key = tenant.newKey();
    const answer = await client.send("POST", "/api/v1/provisioning/claims", body, { "x-api-key": key });
    if (answer.status !== 201) throw new Error(`creating a claim answered ${answer.status}: ${answer.body}`);
    codes.push(JSON.parse(answer.body).claimCode);
  }
  client.close();
  return codes;
}
