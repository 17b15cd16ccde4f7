import assert from "node:assert/strict";
import { test } from "node:test";
import { portProblem } from "./port-problem.ts";

const config = {
  http: { host: "0.0.0.0", port: 8443 },
  mqtt: { host: "0.0.0.0", port: 8883 },
  metrics: { host: "127.0.0.1", port: 9464 },
};

test("a port in use is reported with the name of its setting", () => {
  const problem = portProblem(config, Object.assign(new Error("listen"), { code: "EADDRINUSE", port: 8883 }));
  assert.match(String(problem), /MUSTER_MQTT_PORT: port 8883 is in use by another process/);
});

test("any other error is returned unchanged", () => {
  const error = Object.assign(new Error("elsewhere"), { code: "EADDRINUSE", port: 5432 });
  assert.equal(portProblem(config, error), error);
  assert.equal(portProblem(config, undefined), undefined);
});
