import { unlessEnded } from "../interrupt.ts";
import { enrollDevices } from "../load/devices.ts";
import type { Identity } from "../load/mqtt-client.ts";
import { createTenant } from "../load/tenant.ts";
import { familyCpuMs } from "../measure.ts";
import { startBareBroker } from "../peers/bare-broker.ts";
import { type MusterProcess, newDataDir, startMuster } from "../peers/muster.ts";
import { startPostgres } from "../peers/postgres.ts";
import {
  bareFigures,
  DEVICES,
  type Measured,
  ROUNDS,
  underFixedLoad,
  WORKERS,
  workerFigures,
} from "../rows/workers.ts";
import { add, available, progress } from "../run.ts";

/** CPU a message with several workers, each number of them in turns on the same database. */
export async function workersOnPostgres(): Promise<void> {
  const postgres = await available("no workers", startPostgres);
  if (postgres === undefined) return;
  const dataDir = newDataDir();
  try {
    const databaseUrl = await postgres.createDatabase("workers");
    const start = (workers: number) => startMuster(dataDir.path, databaseUrl, { MUSTER_WORKERS: String(workers) });
    const running = async <T>(workers: number, work: (muster: MusterProcess) => Promise<T>): Promise<T> => {
      const muster = await start(workers);
      return await unlessEnded(work(muster)).finally(() => muster.stop());
    };
    progress(`${DEVICES} devices enroll`);
    const identities = await running(1, (muster) => enrollDevices(muster, createTenant(muster), DEVICES));
    const measured = new Map<number, Measured[]>(WORKERS.map((workers) => [workers, []]));
    const bare = new Map<number, Measured[]>(WORKERS.map((processes) => [processes, []]));
    for (let round = 1; round <= ROUNDS; round++) {
      for (const workers of WORKERS) {
        progress(`${workers} workers, round ${round} of ${ROUNDS}`);
        measured.get(workers)!.push(await running(workers, measure(postgres.cpuMs, identities, workers)));
        bare.get(workers)!.push(await unlessEnded(measureBare(workers)));
      }
    }
    add([...workerFigures(measured), ...bareFigures(bare)]);
  } finally {
    await postgres.stop();
    dataDir.remove();
  }
}

const measure =
  (databaseMs: () => number, identities: readonly Identity[], workers: number) => (muster: MusterProcess) => {
    const meter = () => ({ serverMs: familyCpuMs(muster.pid), databaseMs: databaseMs() });
    return underFixedLoad(muster.mqtt, meter, identities, workers);
  };

async function measureBare(processes: number): Promise<Measured> {
  const bare = await startBareBroker(processes);
  const meter = () => ({ serverMs: bare.cpuMs(), databaseMs: 0 });
  const identities = await bare.newIdentities(DEVICES);
  return await underFixedLoad(bare.target, meter, identities, processes).finally(bare.stop);
}
