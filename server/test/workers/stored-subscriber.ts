import type { MqttClient } from "mqtt";
import { connectMqtt } from "../harness/devices.ts";
import type { CrashFixture } from "../harness/processes/crash.ts";
import { TELEMETRY } from "./service.ts";

/** A gateway with a stored session that subscribes to the telemetry of every device. */
export class StoredSubscriber {
  /** Topic → the numbers `n` that arrived, in order. */
  readonly received = new Map<string, number[]>();
  client!: MqttClient;
  readonly #service: CrashFixture;
  readonly #clientId: string;
  #password = "";

  constructor(service: CrashFixture, clientId: string) {
    this.#service = service;
    this.#clientId = clientId;
  }

  async subscribe(): Promise<void> {
    const registered = { tenant: "acme", clientId: this.#clientId, username: this.#clientId };
    const topics = { publish: [], subscribe: [TELEMETRY] };
    const { password } = await this.#service.server.command("mqtt-client.create", { ...registered, ...topics });
    this.#password = password;
    await this.connect();
    await this.client.subscribeAsync(TELEMETRY, { qos: 1 });
  }

  async connect(): Promise<void> {
    const { server } = this.#service;
    const identity = { deviceId: this.#clientId, fullchain: "", key: "", ca: server.ca };
    const options = { username: this.#clientId, password: this.#password, clean: false };
    this.client = await connectMqtt(server, identity, options, (made) =>
      made.on("message", (topic, payload) => this.#take(topic, JSON.parse(`${payload}`).n)),
    );
  }

  #take(topic: string, number: number): void {
    this.received.set(topic, [...(this.received.get(topic) ?? []), number]);
  }
}
