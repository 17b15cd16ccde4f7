import type { Load } from "../../../load/measure.ts";
import { startBareBroker } from "../../peers/bare-servers.ts";
import { collectingOnSignal } from "../../peers/collect-garbage.ts";
import { startMochi } from "../../peers/mochi.ts";
import { startMosquitto } from "../../peers/mosquitto.ts";
import { startRumqttd } from "../../peers/rumqttd.ts";
import { startStepCa } from "../../peers/step-ca.ts";
import { atLeast, atMost } from "../../report.ts";
import { available, group, row } from "../../run.ts";
import { onEmbedded, onPostgres, type PostgresSite, type Site } from "../../site.ts";
import { connects } from "../connect.ts";
import { idleMemory } from "../idle-memory.ts";
import { revocationToClose } from "../revocation.ts";
import { storedMessages } from "../stored-messages.ts";
import { enrollThousands, type Redemptions, redemptionFigures } from "./redemption.ts";
import { renewals } from "./renewal.ts";
import { besideStepCa } from "./step-ca.ts";

/** Sessions that the rows of the broker open. */
const SESSIONS = 1000;

/** Rows that enroll devices, and on PostgreSQL the broker's rows with these devices. */
export async function enrollments(): Promise<void> {
  const embedded = ["redemption-pglite", "renewals-pglite", "redemption-step-ca-pglite"];
  await group(embedded, () =>
    onEmbedded(async (site) => {
      const { first } = await enrollmentRows(site, "pglite", { cost: atMost(2.5), pace: atLeast(350) });
      await stepCaRow(site, "pglite", first);
    }),
  );
  const enrolling = ["redemption-postgresql", "renewals-postgresql", "redemption-step-ca-postgresql"];
  const serving = ["memory-idle", "revocation", "connects", "stored"];
  await group([...enrolling, ...serving], () =>
    onPostgres(async (site) => {
      const enrolled = await enrollmentRows(site, "postgresql", { cost: atMost(1.1), pace: {} });
      await stepCaRow(site, "postgresql", enrolled.last);
      await group(serving, () => brokerRows(site, enrolled));
    }),
  );
}

type Targets = Parameters<typeof redemptionFigures>[2];

async function enrollmentRows(site: Site, name: string, targets: Targets): Promise<Redemptions> {
  return await site.serve(async (muster, meter) => {
    const enrolled = await enrollThousands(muster, meter);
    await row(`redemption-${name}`, async () => redemptionFigures(site.engine, enrolled, targets));
    await row(`renewals-${name}`, () => renewals(muster, meter, site.engine, enrolled.identities));
    return enrolled;
  });
}

async function stepCaRow({ engine }: Site, name: string, redemptions: Load): Promise<void> {
  await row(`redemption-step-ca-${name}`, async () => {
    const stepCa = await startStepCa();
    return await besideStepCa(redemptions, engine, stepCa).finally(stepCa.stop);
  });
}

/** The service is a fresh process: its memory is that of its sessions. */
async function brokerRows(site: PostgresSite, { identities, tenant }: Redemptions): Promise<void> {
  const mosquitto = await available(startMosquitto);
  const others = [await available(startRumqttd), await available(startMochi), await startBareBroker()];
  const started = [mosquitto, ...others].filter((each) => each !== undefined);
  const peers = await Promise.all(
    started.map(async (each) => ({ ...each, identities: await each.newIdentities(SESSIONS) })),
  );
  const storing = mosquitto && { ...mosquitto, identities: peers[0]!.identities };
  const work: Parameters<typeof site.serve<void>>[0] = async (muster, meter) => {
    const under = { pid: muster.pid, meter, target: muster.mqtt };
    const revoked = { ...under, identities: identities.slice(0, SESSIONS) };
    const kept = { ...under, identities: identities.slice(SESSIONS, 2 * SESSIONS) };
    await row("memory-idle", () => idleMemory(revoked, peers));
    await row("revocation", () => revocationToClose(muster, tenant, revoked.identities));
    await row("connects", () => connects(kept, peers));
    await row("stored", () => storedMessages(kept, site, storing));
  };
  await site.serve(work, collectingOnSignal).finally(() => Promise.all(started.map((each) => each.stop())));
}
