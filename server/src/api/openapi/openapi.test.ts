import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { type ErrorCode, PROBLEMS } from "../problem.ts";
import type { Route } from "../route.ts";
import { everyRoute } from "../routes.ts";
import { errorBody } from "../shapes.ts";
import { exampleOf } from "./error-examples.ts";
import { adminDocument, deviceDocument, documentInTurns, errorCodes, publicDocument } from "./openapi.ts";
import { messageOf } from "./payloads.ts";

// biome-ignore lint/suspicious/noExplicitAny: a document is JSON
type Json = any;

const ROOT = join(import.meta.dirname, "../../../..");
const documents: Record<string, Json> = {
  public: publicDocument(),
  device: deviceDocument(),
  admin: adminDocument(),
};

const operationOf = ({ surface, path, method }: Route) => documents[surface].paths[path][method.toLowerCase()];

/** Returns the target of a reference, or the value itself. */
function resolved(document: Json, value: Json): Json {
  if (typeof value?.$ref !== "string") return value;
  const steps: string[] = value.$ref.slice(2).split("/");
  return steps.reduce((at, key) => at?.[key], document);
}

test("Redocly's strict rules find no error in any document", () => {
  const folder = mkdtempSync(join(tmpdir(), "muster-openapi-"));
  try {
    writeFileSync(join(folder, "redocly.yaml"), "extends: [recommended-strict]\n");
    const files = Object.entries(documents).map(([name, document]) => {
      writeFileSync(join(folder, `${name}.json`), JSON.stringify(document));
      return `${name}.json`;
    });
    const { stdout, stderr } = spawnSync(
      process.execPath,
      [join(ROOT, "node_modules/@redocly/cli/bin/cli.js"), "lint", ...files, "--config=redocly.yaml", "--format=json"],
      {
        cwd: folder,
        encoding: "utf8",
        env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
      },
    );
    // Redocly prints one JSON text per document, one after the other.
    const found: Json[] = JSON.parse(`[${stdout.replaceAll(/\}\s*\{/g, "},{")}]`);
    assert.equal(found.length, files.length);
    for (const { totals } of found) assert.deepEqual(totals, { errors: 0, warnings: 0, ignored: 0 }, stdout + stderr);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("the documents in the repository match the routes", () => {
  for (const [name, document] of Object.entries(documents)) {
    const file = readFileSync(join(ROOT, "openapi", `${name}.json`), "utf8");
    assert.equal(file, `${JSON.stringify(document, null, 2)}\n`, "run npm run generate");
  }
});

test("every route is an operation of its surface's document, under a unique name", () => {
  for (const ofDocument of Map.groupBy(everyRoute, ({ surface }) => documents[surface]).values())
    assert.equal(new Set(ofDocument.map(({ operationId }) => operationId)).size, ofDocument.length);
  for (const route of everyRoute) {
    const operation = operationOf(route);
    assert.equal(operation.operationId, route.operationId);
    assert.ok(operation.summary && operation.description && operation.tags.length === 1);
    const statuses = new Set([route.status, ...errorCodes(route).map((code) => PROBLEMS[code].status)].map(String));
    if (operation.responses[200]?.headers.ETag && route.method === "GET") statuses.add("304");
    assert.deepEqual(new Set(Object.keys(operation.responses)), statuses, route.operationId);
  }
});

test("each document names the credential of its operations: scope and key, session and role, or neither", () => {
  for (const route of everyRoute) {
    const operation = operationOf(route);
    if (route.surface === "public") {
      assert.equal(operation["x-required-scope"], route.scope);
      assert.deepEqual(operation.security, [{ apiKey: [route.scope] }]);
    } else if (route.surface === "admin" && route.by !== "anyone") {
      assert.deepEqual(operation.security, [{ session: [] }]);
      assert.equal(operation["x-required-role"], route.by === "user" ? route.role : undefined);
      assert.equal(operation["x-step-up"], route.stepUp && true);
    } else assert.deepEqual(operation.security, []);
  }
});

test("every example fits the shape it illustrates, and every body and answer has one", () => {
  for (const { operationId, body, response, examples } of everyRoute) {
    assert.equal(body === undefined, examples.body === undefined, operationId);
    assert.equal(response === undefined, examples.response === undefined, operationId);
    body?.parse(examples.body);
    response?.parse(examples.response);
  }
});

test("every error of an operation is listed with its own example, and with its additional fields", () => {
  for (const route of everyRoute) {
    const document = documents[route.surface];
    for (const code of errorCodes(route)) {
      const answer = resolved(document, operationOf(route).responses[PROBLEMS[code].status]);
      const { schema, examples } = answer.content["application/json"];
      assert.deepEqual(schema, { $ref: "#/components/schemas/Error" });
      const example = resolved(document, examples[code]).value;
      assert.deepEqual(example, exampleOf(code));
      errorBody.parse(example);
      assert.ok(answer["x-error-codes"].includes(code) && answer.description.includes(`\`${code}\``));
      const { properties } = document.components.schemas.Error;
      for (const name of Object.keys(example)) assert.ok(name in properties, `${code}: ${name}`);
    }
  }
});

test("no two errors have the same text, and none only its code", () => {
  const codes = Object.keys(PROBLEMS) as ErrorCode[];
  const messages = codes.map((code) => String(exampleOf(code).message));
  assert.equal(new Set(messages).size, codes.length);
  codes.forEach((code, at) => void assert.notEqual(messages[at], code.replaceAll("_", " ")));
});

test("exactly the answers without a shape are 204", () => {
  for (const route of everyRoute) assert.equal(route.response === undefined, route.status === 204, route.operationId);
});

test("every answer and every record of a page has a name, which clients use for its type", () => {
  for (const { operationId, ...route } of everyRoute) {
    if (!route.response) continue;
    const { schema } = operationOf(route as Route).responses[route.status].content[
      route.mediaType ?? "application/json"
    ];
    assert.match(String(schema.$ref), /^#\/components\/schemas\/[A-Z]\w+$/, operationId);
    const { items } = resolved(documents[route.surface], schema).properties;
    if (items) assert.match(String(items.items.$ref), /^#\/components\/schemas\/[A-Z]\w+$/, operationId);
  }
});

test("the headers that the pipeline honours are documented where it does", () => {
  const headers = (method: string, path: string) => {
    const { parameters } = documents.public.paths[path][method];
    return parameters
      .map((each: Json) => resolved(documents.public, each))
      .filter((each: Json) => each.in === "header")
      .map((each: Json) => each.name);
  };
  assert.deepEqual(headers("get", "/api/v1/groups"), []);
  assert.deepEqual(headers("get", "/api/v1/groups/{id}"), ["If-None-Match"]);
  assert.deepEqual(headers("post", "/api/v1/groups"), ["Idempotency-Key"]);
  const answers = (method: string, path: string, status: number) =>
    Object.keys(documents.public.paths[path][method].responses[status].headers).slice(4);
  assert.deepEqual(answers("get", "/api/v1/groups", 200), ["Link"]);
  assert.deepEqual(answers("get", "/api/v1/groups/{id}", 304), ["ETag"]);
  assert.deepEqual(answers("post", "/api/v1/groups", 201), ["Location", "Idempotent-Replayed"]);
  assert.deepEqual(
    answers("post", "/api/v1/provisioning/claims", 201),
    ["Location"],
    "a one-time secret is never replayed",
  );
});

test("every path parameter has a shape", () => {
  for (const route of everyRoute) {
    const named = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const described = (operationOf(route).parameters ?? []).filter((each: Json) => each.in === "path");
    assert.deepEqual(
      described.map((each: Json) => each.name),
      named,
      route.operationId,
    );
  }
});

test("every reference has a target", () => {
  for (const document of Object.values(documents)) {
    const follow = (value: Json): void => {
      if (value === null || typeof value !== "object") return;
      if (typeof value.$ref === "string") assert.ok(resolved(document, value), value.$ref);
      for (const inner of Object.values(value)) follow(inner);
    };
    follow(document);
  }
});

test("a body permits no other fields, and an answer does", () => {
  const { schemas } = documents.public.components;
  assert.equal(schemas.GroupCreate.additionalProperties, false);
  assert.equal(schemas.Group.additionalProperties, undefined);
});

test("no field of a body has a default, because generated clients would require it", () => {
  const { ClaimCreate } = documents.public.components.schemas;
  assert.match(ClaimCreate.properties.maxUses.description, /`1` by default/);
  for (const [name, schema] of Object.entries<Json>(documents.public.components.schemas))
    for (const field of Object.values<Json>(schema.properties ?? {})) assert.equal(field.default, undefined, name);
});

test("integers of the query show their default and no pattern", () => {
  const parameters = documents.public.paths["/api/v1/provisioning/claims"].get.parameters;
  const limit = parameters.find((each: Json) => each.name === "limit");
  assert.deepEqual(limit.schema, { type: "integer", default: 100 });
  assert.equal(limit.required, false);
});

test("every enumeration of the public API is a component, so that clients have one type for it", () => {
  const { components, ...others } = documents.public;
  const { schemas, ...inline } = components;
  const follow = (value: Json, path: string): void => {
    if (value === null || typeof value !== "object") return;
    assert.ok(!Array.isArray(value.enum), `${path} needs an id (api/named-shapes.ts)`);
    for (const [name, inner] of Object.entries(value)) follow(inner, `${path}/${name}`);
  };
  follow([others, inline], "");
  for (const [name, { enum: _, ...schema }] of Object.entries<Json>(schemas)) follow(schema, name);
});

test("no schema has a name from which a generator of Go makes a constructor", () => {
  for (const name of Object.keys(documents.public.components.schemas)) assert.doesNotMatch(name, /^New|WithDefaults$/);
});

test("alternatives of several types are named, since generators of Go stop at a list of types", () => {
  const follow = (value: Json): void => {
    if (value === null || typeof value !== "object") return;
    if (Array.isArray(value.type)) assert.deepEqual(value.type.slice(1), ["null"]);
    if (value.oneOf) for (const each of value.oneOf) assert.deepEqual(Object.keys(each), ["$ref"]);
    for (const inner of Object.values(value)) follow(inner);
  };
  follow(documents.public);
});

test("the message of every webhook fits its shape", () => {
  for (const [type, reference] of Object.entries<Json>(documents.public.webhooks)) {
    const { post } = resolved(documents.public, reference);
    messageOf(type).parse(post.requestBody.content["application/json"].example);
  }
});

test("answers link to the operations on their records, with every parameter of the path", () => {
  const { paths } = documents.public;
  const operations = new Map<string, Json>(
    Object.entries<Json>(paths).flatMap(([path, methods]) =>
      Object.values<Json>(methods).map(({ operationId }) => [operationId, path]),
    ),
  );
  for (const methods of Object.values<Json>(paths))
    for (const { responses } of Object.values<Json>(methods))
      for (const { links = {} } of Object.values<Json>(responses))
        for (const { operationId, parameters } of Object.values<Json>(links)) {
          const named = [...operations.get(operationId).matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
          assert.deepEqual(Object.keys(parameters).sort(), named.sort(), operationId);
        }
  const { 201: made } = paths["/api/v1/devices/{id}/commands"].post.responses;
  assert.deepEqual(made.links.deleteCommand.parameters, { id: "$request.path.id", commandId: "$response.body#/id" });
  const { 200: shown } = paths["/api/v1/groups/{id}"].get.responses;
  assert.deepEqual(shown.links.assignShift.parameters, { groupId: "$request.path.id" });
  const { 200: list } = paths["/api/v1/tickets"].get.responses;
  assert.deepEqual(list.links, {
    getTicket: { operationId: "getTicket", parameters: { id: "$response.body#/items/0/id" } },
  });
});

test("the event loop serves other work between two routes of a description that a stranger asks for", async () => {
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns++;
    if (!isDone) setImmediate(count);
  };
  count();
  const made = await documentInTurns("public");
  isDone = true;
  assert.deepEqual(made, documents.public);
  assert.ok(turns > Object.keys(documents.public.paths as object).length, `${turns} turns`);
});
