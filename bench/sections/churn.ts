import { unlessEnded } from "../interrupt.ts";
import { enrollDevices } from "../load/devices.ts";
import { createTenant } from "../load/tenant.ts";
import { newDataDir, startMuster } from "../peers/muster.ts";
import { startPostgres } from "../peers/postgres.ts";
import { CHURN_DEVICES, churn } from "../rows/churn.ts";
import { add, available, progress } from "../run.ts";

/** Two workers on PostgreSQL, one of which is killed again and again. */
export async function churnOnPostgres(): Promise<void> {
  const postgres = await available("no churn", startPostgres);
  if (postgres === undefined) return;
  const dataDir = newDataDir();
  try {
    const databaseUrl = await postgres.createDatabase("churn");
    const muster = await startMuster(dataDir.path, databaseUrl, { MUSTER_WORKERS: "2" });
    try {
      progress(`${CHURN_DEVICES} devices enroll`);
      const identities = await unlessEnded(enrollDevices(muster, createTenant(muster), CHURN_DEVICES));
      progress("clients connect, publish and leave");
      add(await unlessEnded(churn(muster, databaseUrl, identities)));
    } finally {
      await muster.stop();
    }
  } finally {
    await postgres.stop();
    dataDir.remove();
  }
}
