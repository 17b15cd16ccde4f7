import { FAULTS } from "./faults/draw.ts";

/** Option → the name of its value, and its effect. */
const GROUPS = {
  "The Muster to load: one that the simulator starts on loopback": {
    start: ["nodes", "start this many nodes, 1 to 9: one on the embedded database, several on PostgreSQL and NATS"],
    database: ["url", "an empty PostgreSQL database for them, instead of a PostgreSQL that is started too"],
    nats: ["servers", "NATS servers to start; 3 with two or more nodes, 0 with one"],
    ingest: ["way", "direct (when absent), or stream: messages are acknowledged once the NATS servers have them"],
  },
  "Or one that runs": {
    https: ["url", "address of its API, such as https://muster.example:8443; repeat it for each node"],
    mqtt: ["host:port", "its broker, repeated for each node; the one that the enrollment answers when absent"],
    ca: ["file", "PEM that verifies --https, where the machine does not trust it"],
    "api-key-file": [
      "file",
      "API keys, one a line, with provisioning:write, telemetry:read and device-registry:delete",
    ],
    "claim-code": ["code", "enroll with this claim instead; its devices stay unless there is an API key too"],
    "device-type": ["id", "type of the enrolled devices, with a topic to publish on"],
    gateways: ["file", "MQTT clients that subscribe: client id, user name, password and filter a line"],
    keep: ["file", "keep the enrolled devices, with their keys, in this file for the next run"],
  },
  Load: {
    devices: ["n", "simulated devices; 100 when absent"],
    processes: ["n", "load processes; one for 2,500 devices when absent"],
    every: ["seconds", "between two messages of a device; 10 when absent"],
    qos: ["mix", "QoS of the devices: 1 when absent, or shares such as 0:10,1:80,2:10"],
    metrics: ["n", "values of a message, 3 (when absent) to 200"],
    rules: ["n", "rules that every message breaks, 0 when absent: their anomalies must count each once (--start only)"],
    subscribers: [
      "n",
      "clients that receive all messages, at each node in turn; one a node when absent (--start only)",
    ],
    commands: ["n", "commands a second to all devices together (--start only)"],
  },
  Course: {
    ramp: ["n", "connects a second at the beginning; 100 when absent"],
    seconds: ["n", "length of the steady phase, and of one after each event below; 30 when absent"],
    storms: ["n", "break all connections at once, this many times"],
    "kill-node": ["n", "end the nth started node by SIGKILL (repeatable)"],
    "kill-nats": ["n", "end the nth started NATS server by SIGKILL (repeatable)"],
    "kill-pid": ["pid", "end this process by SIGKILL, for a Muster on this machine (repeatable)"],
    "pause-postgresql": ["seconds", "pause the started PostgreSQL for this long (SIGSTOP; repeatable)"],
    "stop-postgresql": ["seconds", "stop it, and start it again after this long (repeatable)"],
    revoke: [
      "n",
      "revoke certificates of this many devices, at each node in turn; the key needs device-certificates:read and :revoke",
    ],
  },
  "Faults, one after the other (--start 2 or more)": {
    faults: ["n", "inject this many faults of all kinds, and compare acknowledged with stored messages after each"],
    seed: ["n", "the seed that draws them: the same one draws the same faults; 1 when absent"],
    fault: ["kind", `only this kind (repeatable): ${Object.keys(FAULTS).join(", ")}`],
    workers: ["n", "worker processes of each node, 2 when absent"],
    longest: [
      "seconds",
      "the longest fault; every fifth pause of PostgreSQL lasts this long, others up to 15 s; 60 when absent",
    ],
  },
  Result: {
    "back-within": ["seconds", "all clients must be back this soon after an event; 60 when absent"],
    "check-stored": ["n", "devices whose stored messages are compared with the acknowledged ones; 100 when absent"],
    json: ["file", "write the figures to this file too"],
  },
} as const;

type Groups = typeof GROUPS;
export type OptionName = { [Group in keyof Groups]: keyof Groups[Group] }[keyof Groups] & string;

/** Name of an option → the name of its value, and its effect. */
export const OPTIONS = Object.assign({}, ...Object.values(GROUPS)) as Record<OptionName, readonly [string, string]>;

const WIDTH = 26;

export const HELP = `npm run simulate -- [options]

Simulates devices that connect to Muster over TLS, publish, lose their connections and come back, and measures them.

  npm run simulate -- --start 3 --devices 1000 --storms 1 --kill-node 2
  npm run simulate -- --https https://muster.example:8443 --api-key-file keys --device-type <id> --devices 5000

${Object.entries(GROUPS)
  .map(([title, options]) => [`${title}:`, ...Object.entries(options).map(lineOf)].join("\n"))
  .join("\n\n")}

Progress goes to stderr, the report to stdout. Exit code 0: no acknowledged message was lost, the order of each device
was kept, and all came back in time; 1: a promise was broken; 2: wrong options; 3: the run could not be completed.
Ctrl-C removes everything that was created.`;

function lineOf([name, [value, text]]: [string, readonly [string, string]]): string {
  return `  ${`--${name} <${value}>`.padEnd(WIDTH)} ${text}`;
}
