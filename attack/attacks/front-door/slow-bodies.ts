import { connect, type TLSSocket } from "node:tls";
import { sleep } from "../../../load/measure.ts";
import type { Attack } from "../../attack.ts";

/** Each of these address blocks may have a quarter of the requests that the server handles at a time. */
const ADDRESSES = ["127.0.11.1", "127.0.12.1", "127.0.13.1", "127.0.14.1"];
const CONNECTIONS_PER_ADDRESS = 100;
const TICK_MS = 20;

const HEAD =
  "POST /api/provisioning/claim HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 9000\r\n\r\n";

interface Plan {
  readonly port: number;
}

/** Clients that announce a body and never send it, from as many addresses as fill every place of the server. */
export const slowBodies: Attack<Plan> = {
  name: "front-bodies",
  what: `${CONNECTIONS_PER_ADDRESS} connections from each of ${ADDRESSES.length} addresses announce a body and send none`,
  memory: 150,
  prepare: async ({ service }) => ({ port: service.https.port }),
  async assault({ port }, { ended, begun }) {
    let [heads, answers] = [0, 0];
    const open = new Set<TLSSocket>();
    const connectFrom = (localAddress: string) => {
      const target = { host: "127.0.0.1", port, localAddress, servername: "localhost", rejectUnauthorized: false };
      const socket = connect(target, () => {
        socket.write(HEAD);
        if (++heads === 1) begun();
      });
      open.add(socket);
      socket.on("data", () => answers++);
      socket.on("error", () => undefined);
      socket.on("close", () => open.delete(socket));
    };
    for (let count = 0; !ended.aborted; await sleep(TICK_MS)) {
      while (open.size < ADDRESSES.length * CONNECTIONS_PER_ADDRESS)
        connectFrom(ADDRESSES[count++ % ADDRESSES.length]!);
    }
    for (const socket of open) socket.destroy();
    return { count: heads, text: `${heads} heads without a body, ${answers} answers` };
  },
};
