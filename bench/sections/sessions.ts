import { unlessEnded } from "../interrupt.ts";
import { type Load, meterOf } from "../measure.ts";
import { startBareBroker } from "../peers/bare-broker.ts";
import { collectingOnSignal } from "../peers/collect-garbage.ts";
import { startMosquitto } from "../peers/mosquitto.ts";
import { type MusterProcess, newDataDir, startMuster } from "../peers/muster.ts";
import { startPostgres } from "../peers/postgres.ts";
import { startStepCa } from "../peers/step-ca.ts";
import { type BrokerUnderLoad, connects } from "../rows/connect.ts";
import { type Redemptions, redemptions } from "../rows/enrollment/redemption.ts";
import { renewals } from "../rows/enrollment/renewal.ts";
import { besideStepCa } from "../rows/enrollment/step-ca.ts";
import { idleMemory, SESSIONS } from "../rows/idle-memory.ts";
import { revocationToClose } from "../rows/revocation.ts";
import { storedMessages } from "../rows/stored-messages.ts";
import { add, available, progress, wants } from "../run.ts";

export async function redemptionsOnEmbedded(): Promise<void> {
  progress("redemptions on the embedded database");
  const dataDir = newDataDir();
  const muster = await startMuster(dataDir.path);
  try {
    const { figures, first, identities } = await unlessEnded(
      redemptions(muster, { name: "PGlite" }, { cpuMs: 2.5, perSecond: 350 }),
    );
    if (wants("renewals")) {
      progress("renewals on the embedded database");
      add(await unlessEnded(renewals(muster, meterOf(muster.pid), "PGlite", identities)));
    }
    if (!wants("redemption")) return;
    add(figures);
    await muster.stop();
    await certificatesOfStepCa(first, "PGlite");
  } finally {
    await muster.stop();
    dataDir.remove();
  }
}

async function certificatesOfStepCa(redemptions: Load, database: string): Promise<void> {
  progress("certificates of step-ca");
  const stepCa = await available("no peer for redemptions", startStepCa);
  if (stepCa === undefined) return;
  add(await unlessEnded(besideStepCa(redemptions, database, stepCa)).finally(stepCa.stop));
}

/** Redemptions on PostgreSQL, and with the devices that they enroll the rows of the broker. */
export async function sessionsOnPostgres(): Promise<void> {
  const postgres = await available("no redemptions, sessions and messages on PostgreSQL", startPostgres);
  if (postgres === undefined) return;
  const dataDir = newDataDir();
  try {
    await brokerRows(await postgres.createDatabase("bench"), postgres.cpuMs, dataDir.path);
  } finally {
    await postgres.stop();
    dataDir.remove();
  }
}

async function brokerRows(databaseUrl: string, cpuMs: () => number, dataDir: string): Promise<void> {
  progress("redemptions on PostgreSQL");
  let muster = await startMuster(dataDir, databaseUrl);
  try {
    const enrolled = await unlessEnded(redemptions(muster, { name: "PostgreSQL", cpuMs }, { cpuMs: 1.1 }));
    if (wants("redemption")) {
      add(enrolled.figures);
      await certificatesOfStepCa(enrolled.last, "PostgreSQL");
    }
    if (wants("renewals")) {
      progress("renewals on PostgreSQL");
      add(await unlessEnded(renewals(muster, meterOf(muster.pid, cpuMs), "PostgreSQL", enrolled.identities)));
    }
    if (!wants("memory", "revocation", "connects", "stored")) return;
    // A fresh process: its memory is that of its sessions only.
    await muster.stop();
    muster = await startMuster(dataDir, databaseUrl, wants("memory") ? collectingOnSignal : {});
    await sessionRows(muster, { url: databaseUrl, cpuMs }, enrolled);
  } finally {
    await muster.stop();
  }
}

async function sessionRows(
  muster: MusterProcess,
  { url, cpuMs }: { url: string; cpuMs: () => number },
  enrolled: Redemptions,
): Promise<void> {
  const { identities, newKey } = enrolled;
  const mosquitto = await available("no peer for sessions and messages", startMosquitto);
  try {
    const peer: BrokerUnderLoad | undefined = mosquitto && {
      pid: mosquitto.pid,
      cpu: meterOf(mosquitto.pid),
      target: mosquitto.target,
      identities: await mosquitto.newIdentities(SESSIONS),
    };
    const under = (devices: typeof identities) => ({
      pid: muster.pid,
      cpu: meterOf(muster.pid, cpuMs),
      target: muster.mqtt,
      identities: devices,
    });
    const toRevoke = identities.slice(0, SESSIONS);
    const others = under(identities.slice(SESSIONS, 2 * SESSIONS));
    if (wants("memory", "revocation")) {
      progress(`memory of ${SESSIONS} idle sessions`);
      const { figures: memory, sessions } = await unlessEnded(besideBareNode(under(toRevoke), peer));
      if (wants("memory")) add(memory);
      progress("revocation to close");
      add(await unlessEnded(revocationToClose(muster, newKey, sessions, toRevoke)));
    }
    if (wants("connects")) {
      progress("connects over mutual TLS");
      add(await unlessEnded(connects(others, peer)));
    }
    if (wants("stored")) {
      progress("stored messages");
      add(await unlessEnded(storedMessages(others, { url, cpuMs }, mosquitto && peer && { mosquitto, load: peer })));
    }
  } finally {
    await mosquitto?.stop();
  }
}

async function besideBareNode(muster: BrokerUnderLoad, mosquitto: BrokerUnderLoad | undefined) {
  const bare = await startBareBroker();
  const load = { pid: bare.pid, target: bare.target, identities: await bare.newIdentities(SESSIONS) };
  return await idleMemory(muster, { mosquitto, bare: load }).finally(bare.stop);
}
