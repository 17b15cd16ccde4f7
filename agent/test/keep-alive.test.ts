import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { MusterAgent, systemRuntime } from "../src/index.ts";
import { enrolled } from "./remote/setup.ts";

test("the broker's keep alive overrides the agent's, and a broker that answers no PINGREQ has lost the session", async (t) => {
  const { remote, stateDir } = await enrolled(t);
  const { broker } = remote;
  broker.properties = { serverKeepAlive: 1 };
  const agent = new MusterAgent({ stateDir, autoRenew: false, runtime: { ...systemRuntime, random: () => 0 } });
  t.after(() => agent.close());
  await agent.connect();
  while (!broker.packets.some(({ cmd }) => cmd === "pingreq")) await new Promise((resolve) => setTimeout(resolve, 50));
  const lost = once(agent, "disconnected");
  broker.session("dev-1")!.send = () => {};
  assert.equal((await lost)[0].reason, "the broker did not answer a PINGREQ");
});
