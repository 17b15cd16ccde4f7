import { connect } from "node:tls";
import { sleep } from "../../../load/measure.ts";
import type { Attack } from "../../attack.ts";

/** Handshakes under way at a time: more than a client needs to keep the server's core busy. */
const AT_ONCE = 200;
const TICK_MS = 5;

interface Flood {
  readonly port: number;
  readonly localAddress: string;
}

/** Returns an attack by a client that finishes one TLS handshake after another and sends nothing. */
function flood(listener: "https" | "mqtt"): Attack<Flood> {
  return {
    name: `handshake-flood-${listener}`,
    what: `${AT_ONCE} TLS handshakes at a time at the ${listener.toUpperCase()} port, each closed when it is done`,
    memory: 150,
    prepare: async ({ service, hostileAddress }) => ({ port: service[listener].port, localAddress: hostileAddress }),
    async assault(target, { ended, begun }) {
      let [underWay, done, refused] = [0, 0, 0];
      const handshake = () => {
        underWay++;
        const options = { host: "127.0.0.1", ...target, rejectUnauthorized: false };
        const socket = connect({ ...options, servername: "localhost" });
        socket.on("error", () => refused++);
        socket.on("close", () => underWay--);
        socket.on("secureConnect", () => {
          if (++done === 1) begun();
          socket.destroy();
        });
      };
      for (; !ended.aborted; await sleep(TICK_MS)) {
        while (underWay < AT_ONCE && refused <= done + AT_ONCE) handshake();
        if (done === 0 && refused > 0) begun();
        // Refused at accept: the flood goes on, a tick later.
        if (refused > done) refused = done;
      }
      return { count: done, text: `${done} handshakes` };
    },
  };
}

export const handshakeFloods: readonly Attack<Flood>[] = [flood("https"), flood("mqtt")];
