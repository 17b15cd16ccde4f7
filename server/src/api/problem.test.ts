import assert from "node:assert/strict";
import { test } from "node:test";
import { MusterError } from "../lib/errors.ts";
import { problemOf, Refusal } from "./problem.ts";

const reachable = () => false;

test("a typed code becomes its status, with the feature's message, detail and further fields", () => {
  const error = new MusterError("device_cert_cap_reached", "at the cap", {
    detail: "pump-1",
    extra: { activeCount: 2, maxActivePlatformCertsPerDevice: 2 },
  });
  const { status, body, unforeseen } = problemOf(error, "r1", reachable);
  assert.equal(status, 409);
  assert.equal(unforeseen, false);
  assert.deepEqual(body, {
    error: "device_cert_cap_reached",
    middleware: "handler",
    message: "At the cap.",
    requestId: "r1",
    detail: "pump-1",
    activeCount: 2,
    maxActivePlatformCertsPerDevice: 2,
  });
});

test("the wait is a header in whole seconds, never a field", () => {
  const error = new Refusal("rate_limited", "slow down", { extra: { retryAfterSeconds: 0.2 } });
  const { headers, body } = problemOf(error, "r1", reachable);
  assert.deepEqual(headers, { "retry-after": "1" });
  assert.deepEqual(Object.keys(body).sort(), ["error", "message", "middleware", "requestId"]);
});

test("an unforeseen error is answered with 500 and shows nothing of its cause", () => {
  const inside = [new Error("password=hunter2"), new MusterError("wrong_master_key", "hunter2"), "hunter2", undefined];
  for (const error of inside) {
    const { status, body, unforeseen } = problemOf(error, "r1", reachable);
    assert.equal(status, 500);
    assert.ok(unforeseen);
    assert.equal(body.error, "internal_error");
    assert.ok(!JSON.stringify(body).includes("hunter2"));
  }
});

test("an unreachable database is answered with 503 and Retry-After; an error code of a feature stays", () => {
  const unreachable = (error: unknown) => (error as { code?: string })?.code === "ECONNREFUSED";
  const { status, headers, body } = problemOf({ code: "ECONNREFUSED" }, "r1", unreachable);
  assert.deepEqual([status, body.error, headers["retry-after"]], [503, "catalog_unavailable", "5"]);
  assert.equal(problemOf(new MusterError("claim_expired", "late"), "r1", () => true).status, 410);
});

test("errors of the framework are answered with our codes and messages", () => {
  const of = (code: string, statusCode: number) => {
    const { status, body } = problemOf({ code, statusCode, message: "FST inner words" }, "r1", reachable);
    assert.ok(!body.message.includes("inner"));
    return [status, body.error, body.middleware];
  };
  assert.deepEqual(of("FST_ERR_CTP_BODY_TOO_LARGE", 413), [413, "payload_too_large", "validation"]);
  assert.deepEqual(of("FST_ERR_CTP_INVALID_MEDIA_TYPE", 415), [415, "unsupported_media_type", "validation"]);
  assert.deepEqual(of("FST_ERR_BAD_URL", 400), [400, "invalid_request", "router"]);
  assert.deepEqual(of("FST_ERR_CTP_INVALID_CONTENT_LENGTH", 400), [400, "invalid_request", "validation"]);
  assert.deepEqual(of("FST_ERR_SOMETHING", 500), [500, "internal_error", "handler"]);
});

test("a peer that disconnects in the middle of its body is not mistaken for an unreachable database, and is not logged", () => {
  const aborted = Object.assign(new Error("aborted"), { code: "ECONNRESET", statusCode: 400 });
  const { status, unforeseen } = problemOf(aborted, "r1", () => true);
  assert.deepEqual([status, unforeseen], [400, false]);
});
