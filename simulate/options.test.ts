import assert from "node:assert/strict";
import { test } from "node:test";
import { FAULTS } from "./faults/draw.ts";
import { parseOptions, UsageError } from "./options.ts";

function message(...args: string[]): string {
  try {
    parseOptions(args);
  } catch (error) {
    assert.ok(error instanceof UsageError);
    return error.message;
  }
  return "accepted";
}

test("options that are absent have their defaults", () => {
  const options = parseOptions(["--start", "3", "--devices", "6000", "--qos", "0:1,2:3"]);
  assert.ok(options !== "help");
  const { nats, processes, every, qos, backWithin } = options;
  assert.deepEqual({ nats, processes, every, backWithin }, { nats: 3, processes: 3, every: 10, backWithin: 60 });
  assert.deepEqual(qos, [
    { qos: 0, share: 0.25 },
    { qos: 2, share: 0.75 },
  ]);
});

test("an address of a broker has the port of MQTT over TLS where it names none", () => {
  const options = parseOptions("--https https://a:8443/ --claim-code C --mqtt b --mqtt [::1]:1883".split(" "));
  assert.ok(options !== "help");
  assert.deepEqual(options.https, ["https://a:8443"]);
  assert.deepEqual(options.mqtt, [
    { host: "b", port: 8883 },
    { host: "::1", port: 1883 },
  ]);
});

test("wrong options are refused with what is valid", () => {
  const running = "--https https://a";
  const own =
    "--pause-postgresql and --stop-postgresql need a PostgreSQL that is started: --start 2 or more, no --database.";
  const cases: [string, string][] = [
    ["", "Name the Muster to load: either --start <nodes>, or --https <url> of one that runs."],
    ["--device 3", "Unknown option '--device'."],
    ["--start", "Option '--start <value>' argument missing."],
    ["more", "Unexpected argument 'more'."],
    ["--start 0", "--start 0: a whole number from 1 to 9 is valid."],
    ["--start 2 --devices 1.5", "--devices 1.5: a whole number from 1 to 1000000 is valid."],
    ["--start 2 --devices 1 --devices 2", "--devices is given 2 times: give it once."],
    ["--start 2 --qos 3", "--qos 3: 0, 1 or 2, or shares of them such as 0:10,1:80,2:10 are valid."],
    ["--start 2 --kill-node 3", "--kill-node 3: --start 2 starts the nodes 1 to 2."],
    ["--start 2 --kill-node 1 --kill-node 2", "--kill-node must leave one of the nodes: start more of them."],
    ["--start 1 --kill-node 2", "--kill-node 2: --start 1 starts only one."],
    ["--start 2 --nats 0 --kill-nats 1", "--kill-nats 1: --nats 0 starts none."],
    ["--start 2 --kill-nats 4", "--kill-nats 4: --nats 3 starts the NATS servers 1 to 3."],
    ["--start 2 --kill-nats 2 --kill-nats 2", "--kill-nats lists the same one twice."],
    ["--start 2 --ingest twice", "--ingest twice: direct or stream is valid."],
    ["--start 1 --pause-postgresql 3", own],
    ["--start 1 --ingest stream", "--ingest stream needs NATS: --start 2 or more."],
    ["--start 1 --faults 1", "--faults needs --start 2 or more."],
    ["--start 2 --faults 1 --database x", "--faults excludes --database: PostgreSQL is paused and killed."],
    ["--start 2 --faults 1 --fault fire", `--fault fire: valid are ${Object.keys(FAULTS).join(", ")}.`],
    ["--start 2 --mqtt a:1", "--mqtt is for a Muster that runs, not for --start."],
    ["--https http://a", "--https http://a: an address such as https://muster.example:8443 is valid."],
    [running, "Devices enroll with --claim-code <code> or --api-key-file <file>."],
    [`${running} --claim-code C --commands 1`, "--commands needs --start."],
    [`${running} --claim-code C --revoke 1`, "--revoke needs --api-key-file."],
    [
      `${running} --api-key-file f --keep k --revoke 1`,
      "--revoke and --keep exclude each other: revoked devices cannot connect again.",
    ],
    [`${running} --claim-code C --kill-pid 4194304`, "--kill-pid 4194304: no such process."],
  ];
  for (const [args, expected] of cases) assert.equal(message(...args.split(" ").filter(Boolean)), expected);
});
