import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { test } from "node:test";
import { systemClock } from "../../lib/clock.ts";
import { randomIds } from "../../lib/ids.ts";
import { DEFAULT_LIMITS } from "../../lib/limits/limits.ts";
import { Secret } from "../../lib/secret.ts";
import type { ClaimedRow } from "../delivery/claim-store.ts";
import type { NotificationsDeps } from "../deps.ts";
import { createMailer } from "./send-mail.ts";

const MAIL: Omit<ClaimedRow, "created_at"> = {
  id: "m",
  tenant_id: "t",
  queue: "q",
  target: "ada@plant.example",
  user_id: null,
  group_id: null,
  anomaly_id: null,
  payload: { type: "digest", at: "", timeZone: "UTC", total: 0, items: [] },
  attempts: 1,
};

/** Runs a mail server that replies `says` at `stage` instead of success; with an empty string, it disconnects. */
async function outcomeWhere(stage: string, says: string, { credentials = "", heard = [] as string[] } = {}) {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    let text = "";
    const say = (at: string, usual: string) => {
      if (at !== stage) socket.write(`${usual}\r\n`);
      else if (says === "") socket.destroy();
      else socket.write(`${says}\r\n`);
    };
    say("greeting", "220 here");
    socket.on("error", () => undefined);
    socket.on("data", (bytes) => {
      text += bytes;
      for (let end = text.indexOf("\r\n"); end >= 0; end = text.indexOf("\r\n")) {
        const line = text.slice(0, end);
        text = text.slice(end + 2);
        heard.push(line);
        const [command] = line.split(" ");
        if (["EHLO", "MAIL", "RCPT", "."].includes(command!)) say(command!, "250 yes");
        if (command === "DATA") say(command, "354 go on");
        if (command === "AUTH") say(command, "235 welcome");
        if (command === "STARTTLS") say(command, "502 not here");
        if (command === "QUIT") socket.end();
      }
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = new Secret(`smtp://${credentials}127.0.0.1:${(server.address() as AddressInfo).port}`);
  if (stage === "connection") server.close();
  const settings = { smtp: { url, from: "muster@plant.example" }, allowPrivateWebhooks: false };
  const deps = { settings, clock: systemClock, ids: randomIds, limits: DEFAULT_LIMITS, baseUrl: () => "https://m" };
  const mailer = createMailer(deps as unknown as NotificationsDeps)!;
  const outcome = await mailer.send({ ...MAIL, created_at: new Date() });
  mailer.close();
  server.close();
  for (const socket of sockets) socket.destroy();
  return outcome.sent ? "sent" : { final: outcome.final, maybeSent: outcome.maybeSent };
}

const later = { final: false, maybeSent: false };
const never = { final: true, maybeSent: false };
const unknown = { final: false, maybeSent: true };

test("a refused mail was not sent, a 5xx to the recipient or message is final, and after a disconnect the result is unknown", async () => {
  const said: [string, string, unknown][] = [
    ["nowhere", "", "sent"],
    ["connection", "", later],
    ["greeting", "554 not you", later],
    ["MAIL", "530 say who you are first", later],
    ["RCPT", "452 full", later],
    ["RCPT", "550 no such user", never],
    ["DATA", "554 no", never],
    [".", "451 later", later],
    [".", "554 spam", never],
    [".", "", unknown],
  ];
  for (const [stage, says, outcome] of said)
    assert.deepEqual([stage, says, await outcomeWhere(stage, says)], [stage, says, outcome]);
});

test("user name and password are never sent without TLS, not even to this machine", async () => {
  const heard: string[] = [];
  assert.deepEqual(await outcomeWhere("EHLO", "250 AUTH PLAIN LOGIN", { credentials: "ada:hunter2@", heard }), later);
  assert.ok(heard.some((line) => line === "STARTTLS"));
  assert.ok(!heard.some((line) => /^AUTH|hunter2|aHVudGVyMg/i.test(line)), heard.join("\n"));
});
