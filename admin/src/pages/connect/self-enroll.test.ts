import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { agentCommands, folderOf, shellCommands } from "./self-enroll.ts";

const SETTINGS = {
  baseUrl: "https://muster.example:8443",
  claimCode: "CLAIM-4T9M-W2XA-7KQ2",
  caPem: "-----BEGIN CERTIFICATE-----\nMII=\n-----END CERTIFICATE-----\n",
  broker: { host: "muster.example", port: 8883 },
  folder: "muster-device/feed-pump-1-7kq2",
};

test("the commands hold the real values, and are a script that a shell can read", () => {
  for (const commands of [shellCommands(SETTINGS), agentCommands(SETTINGS)]) {
    execFileSync("bash", ["-n"], { input: commands });
    assert.ok(commands.includes(SETTINGS.claimCode) && commands.includes(SETTINGS.baseUrl));
    assert.ok(commands.includes("MII="));
  }
  assert.match(shellCommands(SETTINGS), /mosquitto_pub -V mqttv5 -h muster\.example -p 8883/);
});

test("an IPv6 address has brackets in URLs only, and no shell takes them for a pattern", () => {
  const settings = { ...SETTINGS, baseUrl: "https://[2001:db8::1]:9443", broker: { host: "2001:db8::1", port: 9883 } };
  for (const commands of [shellCommands(settings), agentCommands(settings)])
    assert.doesNotMatch(commands.replaceAll(/'[^'\n]*'/g, ""), /\[2001/);
  assert.match(shellCommands(settings), /-h 2001:db8::1 -p 9883/);
});

test("with a certificate that every client trusts, no authority is named", () => {
  const trusted = { ...SETTINGS, caPem: undefined };
  assert.doesNotMatch(shellCommands(trusted), /https-ca|--cacert/);
  assert.doesNotMatch(agentCommands(trusted), /https-ca|--ca /);
});

test("each device has a folder of its own, which no shell reads as more than a name", () => {
  assert.equal(folderOf("Feed pump 1", "CLAIM-4T9M-W2XA-7KQ2"), "muster-device/feed-pump-1-7kq2");
  assert.equal(folderOf("Feed pump 1", "CLAIM-8HD3-QX5N-M6VE"), "muster-device/feed-pump-1-m6ve");
  assert.equal(folderOf("Förderpumpe $(reboot)", "CLAIM-4T9M-W2XA-7KQ2"), "muster-device/forderpumpe-reboot-7kq2");
  assert.equal(folderOf("Насос", "CLAIM-4T9M-W2XA-7KQ2"), "muster-device/7kq2");
  assert.equal(folderOf(undefined, "CLAIM-4T9M-W2XA-7KQ2"), "muster-device/7kq2");
  assert.match(folderOf("x".repeat(200), "CLAIM-4T9M-W2XA-7KQ2"), /^muster-device\/x{40}-7kq2$/);
});
