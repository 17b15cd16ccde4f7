import { connect } from "@nats-io/transport-node";
import {
  BUS_VERSION,
  type BusFrame,
  decodeFrame,
  encodeBatchHead,
  encodeHello,
  encodeInterest,
  encodeNumber,
} from "../../../src/broker/bus/frame.ts";
import { FrameSplitter } from "../../../src/broker/bus/frame-fields.ts";
import { NatsBus } from "../../../src/broker/bus/nats/nats-bus.ts";
import type { NatsBusDeps } from "../../../src/broker/bus/nats/nats-bus-deps.ts";
import { subjectsOf } from "../../../src/broker/bus/nats/subjects.ts";
import { createMetrics } from "../../../src/lib/metrics/metrics.ts";
import type { NatsSettings } from "../../../src/lib/nats/nats-settings.ts";
import type { NatsServer } from "../../harness/processes/nats-server.ts";
import { PERMISSIVE_LIMITS, PERMISSIVE_TOOLS } from "../permissive/permissive-broker.ts";

const BEAT_MS = 200;
const ALL = 0xffff_ffff;

export function createNatsBus(settings: NatsSettings, given: Partial<NatsBusDeps> = {}): NatsBus {
  return new NatsBus({ settings, limits: PERMISSIVE_LIMITS, metrics: createMetrics(), ...PERMISSIVE_TOOLS, ...given });
}

/** A foreign process on the bus. */
export interface RawProcess {
  /** Every frame that it was sent, including repetitions. */
  readonly frames: BusFrame[];
  /** Breaks its connection, as the kill of a process would. */
  kill(): Promise<void>;
}

/**
 * Joins and subscribes, and acknowledges nothing.
 * @param workers how many must know of its subscription before the promise resolves
 */
export async function joinRaw(nats: Pick<NatsServer, "port">, filter: string, workers: number): Promise<RawProcess> {
  const [name, subjects] = ["00000000", subjectsOf(BUS_VERSION)];
  const connection = await connect({ servers: `127.0.0.1:${nats.port}`, reconnect: false });
  const [greeted, know, frames] = [new Set<string>(), new Set<string>(), [] as BusFrame[]];
  const { promise: joined, resolve } = Promise.withResolvers<void>();
  const greeting = Buffer.concat([
    encodeBatchHead({ from: name, epoch: 1, number: 1 }),
    encodeInterest(1, "everyone", filter, true),
    encodeNumber("all", 1),
    encodeNumber("known", ALL),
  ]);
  connection.subscribe(subjects.to(name), {
    callback: (_, { data }) => {
      const received = decodeAll(Buffer.from(data));
      const head = received[0]!;
      if (head.type !== "batch") return;
      frames.push(...received);
      if (!greeted.has(head.from)) connection.publish(subjects.to(head.from), greeting);
      greeted.add(head.from);
      if (received.some((frame) => frame.type === "known" && frame.number === 1)) know.add(head.from);
      if (know.size === workers) resolve();
    },
  });
  await connection.flush();
  const beat = () => connection.publish(subjects.all, encodeHello(name));
  beat();
  const timer = setInterval(beat, BEAT_MS);
  await joined;
  return {
    frames,
    async kill() {
      clearInterval(timer);
      await connection.close();
    },
  };
}

function decodeAll(data: Buffer): BusFrame[] {
  const frames: BusFrame[] = [];
  new FrameSplitter().feed(data, (frame) => frames.push(decodeFrame(frame, 0)));
  return frames;
}
