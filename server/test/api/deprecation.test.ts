import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { document } from "../../src/api/openapi/document.ts";
import type { Json } from "../../src/api/openapi/schemas.ts";
import { routeOf } from "../../src/api/pipeline/run-operation.ts";
import { type PublicRoute, publicRoute, type Route } from "../../src/api/route.ts";
import { everyRoute } from "../../src/api/routes.ts";
import { groupUseCases } from "../../src/groups/groups.ts";
import { newKey, newTenant } from "../harness/devices.ts";
import { https } from "../harness/http/https.ts";
import { startServer, type TestServer } from "../harness/server.ts";

/** The announced end of an operation, by an operation of this test's own. */
const deprecation = {
  since: new Date("2026-12-01T00:00:00Z"),
  sunset: new Date("2027-12-01T00:00:00Z"),
  successor: "listGroups",
};

const declared = (ends: typeof deprecation): PublicRoute =>
  publicRoute({
    useCase: groupUseCases.listGroups,
    operationId: "listTeams",
    method: "GET",
    path: "/api/v1/teams",
    tag: "Groups",
    summary: "List teams",
    description: "The former name of groups.",
    deprecation: ends,
    status: 200,
    errors: [],
    examples: {},
    handler: async () => undefined,
  });

let server: TestServer;
before(async () => {
  const routes = everyRoute as Route[];
  routes.push(declared(deprecation));
  server = await startServer().finally(() => routes.pop());
});
after(() => server.stop());

test("every answer of a deprecated operation announces its end, and no other does", async () => {
  const tenant = await newTenant(server);
  const key = await newKey(server, tenant, "groups:read");
  const get = (path: string, headers = {}) => https(`${server.httpUrl}/api/v1${path}`, { ca: server.ca, headers });
  for (const [headers, status] of [
    [{ "x-api-key": key }, 200],
    [{}, 401],
  ] as const) {
    const answer = await get("/teams", headers);
    assert.equal(answer.status, status, answer.text);
    assert.equal(answer.headers.deprecation, "@1796083200");
    assert.equal(answer.headers.sunset, "Wed, 01 Dec 2027 00:00:00 GMT");
  }
  const { headers } = await get("/groups", { "x-api-key": key });
  assert.deepEqual([headers.deprecation, headers.sunset], [undefined, undefined]);
});

test("the description says that the operation is deprecated, when it ends, and what to use instead", () => {
  const { paths } = finished(document("public", [declared(deprecation), ...everyRoute.filter(isPublic)])) as {
    paths: Record<string, { get: Json & { responses: Record<string, { headers: object }> } }>;
  };
  const { get } = paths["/api/v1/teams"]!;
  assert.deepEqual([get.deprecated, get["x-sunset"]], [true, "2027-12-01T00:00:00.000Z"]);
  assert.equal(get["x-successor"], "listGroups");
  assert.match(
    String(get.description),
    /^Deprecated since 2026-12-01; it ends on 2027-12-01\. Use `listGroups` instead\. /,
  );
  assert.ok("Deprecation" in get.responses[200]!.headers && "Sunset" in get.responses[200]!.headers);
  assert.equal(paths["/api/v1/groups"]!.get.deprecated, undefined);
});

test("an operation that would end within twelve months is refused", () => {
  const early = new Date(deprecation.sunset.getTime() - 1);
  assert.throws(() => declared({ ...deprecation, sunset: early }), /a year later/);
});

test("a batch and a tool announce the end with the outcome, whether the operation succeeds or not", async () => {
  const tenant = await newTenant(server);
  const key = await newKey(server, tenant, "groups:read", "groups:write");
  const route = routeOf("createGroup")!;
  route.deprecation = { ...deprecation, successor: "createTeam" };
  try {
    const createGroup = (name: string) => ({ operationId: "createGroup", body: { name } });
    const operations = [createGroup("Pumps"), createGroup(""), { operationId: "deleteGroup", params: { id: "x" } }];
    const batch = await post("/api/v1/batch", { "x-api-key": key }, { operations });
    const ending = { since: "2026-12-01T00:00:00.000Z", sunset: "2027-12-01T00:00:00.000Z", successor: "createTeam" };
    const results: { ok: boolean; deprecation?: object }[] = batch.json.results;
    assert.deepEqual(
      results.map(({ ok, deprecation }) => ({ ok, deprecation })),
      [
        { ok: true, deprecation: ending },
        { ok: false, deprecation: ending },
        { ok: false, deprecation: undefined },
      ],
    );
    const texts = async (name: string, args: object) => {
      const params = { name, arguments: args };
      const headers = { authorization: `Bearer ${key}`, accept: "application/json, text/event-stream" };
      const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
      const { json } = await post("/mcp?writes=true", headers, message);
      return json.result.content.map(({ text }: { text: string }) => text);
    };
    const notice = "createGroup is deprecated and ends on 2027-12-01: use createTeam instead.";
    for (const name of ["Valves", ""]) assert.equal((await texts("createGroup", { body: { name } }))[1], notice);
    assert.equal((await texts("listGroups", {})).length, 1);
  } finally {
    delete route.deprecation;
  }
});

function post(path: string, headers: Record<string, string>, body: object) {
  return https(server.httpUrl + path, { ca: server.ca, method: "POST", headers, body });
}

const isPublic = ({ surface }: Route) => surface === "public";

function finished(turns: Generator<void, Json>): Json {
  for (;;) {
    const { done, value } = turns.next();
    if (done) return value;
  }
}
