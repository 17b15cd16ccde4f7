import { connect, type Socket } from "node:net";
import { sleep } from "../../load/measure.ts";
import type { MqttTarget } from "../../load/mqtt-client.ts";
import type { Attack } from "../attack.ts";

/** More than may be open without authentication. */
const CONNECTIONS = 3_000;
const TICK_MS = 50;
/** The begin of a ClientHello: the server waits for the rest. */
const FIRST_OCTETS = Buffer.of(0x16, 0x03, 0x01, 0x02, 0x00);

export const handshakes: Attack<MqttTarget> = {
  name: "handshakes",
  what: `${CONNECTIONS} half-open MQTT handshakes from one address, each opened again when it is closed`,
  // 2,000 sockets of 60 KB may be open without authentication; thousands per second are closed and freed later.
  memory: 250,

  async prepare({ service, hostileAddress }) {
    return { ...service.mqtt, localAddress: hostileAddress };
  },

  async assault({ port, localAddress }, { ended, begun }) {
    const open = new Set<Socket>();
    let opened = 0;
    const add = () => {
      const socket = connect({ host: "127.0.0.1", port, localAddress: localAddress! });
      open.add(socket);
      socket.on("connect", () => {
        if (++opened === CONNECTIONS / 2) begun();
        socket.write(FIRST_OCTETS);
      });
      socket.on("error", () => undefined);
      socket.on("close", () => open.delete(socket));
    };
    for (; !ended.aborted; await sleep(TICK_MS)) {
      // A tenth at a time: a burst of all is refused by the backlog of the kernel.
      for (let more = 0; more < CONNECTIONS / 10 && open.size < CONNECTIONS; more++) add();
    }
    const still = open.size;
    for (const socket of open) socket.destroy();
    return { count: opened, text: `${opened} connections, ${still} open at the end` };
  },
};
