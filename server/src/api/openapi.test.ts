import assert from "node:assert/strict";
import { test } from "node:test";
import { deviceDocument, errorCodes, publicDocument } from "./openapi.ts";
import { PROBLEMS } from "./problem.ts";
import { routes } from "./routes.ts";

// biome-ignore lint/suspicious/noExplicitAny: a document is JSON
type Json = any;

const documents: Record<string, Json> = { public: publicDocument(), device: deviceDocument() };

test("every route is an operation of its surface's document, under a name of its own", () => {
  assert.equal(new Set(routes.map(({ operationId }) => operationId)).size, routes.length);
  for (const route of routes) {
    const operation = documents[route.surface].paths[route.path][route.method.toLowerCase()];
    assert.equal(operation.operationId, route.operationId);
    assert.ok(operation.summary && operation.description && operation.tags.length === 1);
    const statuses = new Set([route.status, ...errorCodes(route).map((code) => PROBLEMS[code].status)].map(String));
    assert.deepEqual(new Set(Object.keys(operation.responses)), statuses, route.operationId);
  }
});

test("the public document names the scope and the key of each operation, the device document neither", () => {
  for (const route of routes) {
    const operation = documents[route.surface].paths[route.path][route.method.toLowerCase()];
    if (route.surface === "public") {
      assert.equal(operation["x-required-scope"], route.scope);
      assert.deepEqual(operation.security, [{ apiKey: [] }]);
    } else assert.deepEqual(operation.security, []);
  }
});

test("every example fits the shape it illustrates, and every body and answer has one", () => {
  for (const { operationId, body, response, examples } of routes) {
    assert.equal(body === undefined, examples.body === undefined, operationId);
    assert.equal(response === undefined, examples.response === undefined, operationId);
    body?.parse(examples.body);
    response?.parse(examples.response);
  }
});

test("an answer without a shape is 204, and no other", () => {
  for (const route of routes) assert.equal(route.response === undefined, route.status === 204, route.operationId);
});

test("every path parameter has a shape", () => {
  for (const route of routes) {
    const named = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const operation = documents[route.surface].paths[route.path][route.method.toLowerCase()];
    const described = (operation.parameters ?? []).filter((each: Json) => each.in === "path");
    assert.deepEqual(
      described.map((each: Json) => each.name),
      named,
      route.operationId,
    );
  }
});

test("every reference leads somewhere", () => {
  for (const document of Object.values(documents)) {
    const follow = (value: Json): void => {
      if (value === null || typeof value !== "object") return;
      if (typeof value.$ref === "string") {
        const target = value.$ref
          .slice(2)
          .split("/")
          .reduce((at: Json, key: string) => at?.[key], document);
        assert.ok(target, value.$ref);
      }
      for (const inner of Object.values(value)) follow(inner);
    };
    follow(document);
  }
});

test("integers of the query show their default and no pattern", () => {
  const parameters = documents.public.paths["/api/v1/provisioning/claims"].get.parameters;
  const limit = parameters.find((each: Json) => each.name === "limit");
  assert.deepEqual(limit.schema, { type: "integer", default: 100 });
  assert.equal(limit.required, false);
});
