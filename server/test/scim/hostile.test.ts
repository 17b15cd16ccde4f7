import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { newTenant } from "../harness/devices.ts";
import { https } from "../harness/http/https.ts";
import { startServer, type TestServer } from "../harness/server.ts";

/** An identity provider, or the thief of its token, that sends what no provider would. */
let server: TestServer;
let token: string;
let user: string;

before(async () => {
  server = await startServer();
  const { caller } = await newTenant(server);
  ({ token } = await server.app.scim.createScimToken(caller));
  const made = await scim("POST", "/Users", { userName: "ada@example.com", name: { givenName: "Ada" } });
  assert.equal(made.status, 201, made.text);
  user = made.json.id;
});
after(() => server.stop());

async function scim(method: string, path: string, body?: object) {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/scim+json" };
  return await https(`${server.httpUrl}/scim/v2${path}`, { method, ca: server.ca, headers, ...(body && { body }) });
}

const patch = (...Operations: object[]) => scim("PATCH", `/Users/${user}`, { Operations });
const email = (type: string) => ({ op: "add", path: `emails[type eq "${type}"].value`, value: "ada@example.com" });
const refusal = async (sent: ReturnType<typeof scim>) => {
  const { status, json } = await sent;
  return [status, json.scimType];
};

/** An object that JavaScript cannot convert to text. */
const NO_TEXT = { toString: 1, valueOf: 1 };

test("values of a wrong type are refused as invalid", async () => {
  assert.deepEqual(await refusal(patch({ op: NO_TEXT, path: "title", value: "x" })), [400, "invalidSyntax"]);
  for (const value of ["x".repeat(1_000), [{}]])
    assert.deepEqual(await refusal(patch({ op: "add", value })), [400, "invalidValue"]);
  for (const path of ["/.search", "/Users/.search"])
    for (const count of [NO_TEXT, [[NO_TEXT]], true])
      assert.deepEqual(await refusal(scim("POST", path, { count })), [400, "invalidValue"]);
  const { status, json } = await scim("POST", "/Users/.search", { attributes: [NO_TEXT, "userName"] });
  assert.deepEqual([status, Object.keys(json.Resources[0])], [200, ["schemas", "id", "userName"]]);
});

test("a filter whose escapes yield no text of Unicode is refused", async () => {
  for (const escaped of ["\\u0000", "\\ud800"]) {
    for (const kind of ["/Users", "/Groups"]) {
      const filter = encodeURIComponent(`externalId eq "a${escaped}"`);
      assert.deepEqual(await refusal(scim("GET", `${kind}?filter=${filter}`)), [400, "invalidFilter"]);
    }
    assert.deepEqual(await refusal(patch(email(escaped))), [400, "invalidFilter"]);
  }
});

test("the values that a path selects are bounded like all others", async () => {
  assert.deepEqual(await refusal(patch(email("t".repeat(1_001)))), [400, "invalidValue"]);
  const many = Array.from({ length: 25 }, (_, n) => email(`type-${n}`));
  assert.deepEqual(await refusal(patch(...many)), [400, "tooMany"]);
  assert.equal((await patch(...many.slice(0, 20))).status, 200);
  assert.deepEqual(await refusal(patch(email("one-more"))), [400, "tooMany"]);
});

test("the names of a search are read once, however many resources it returns", async () => {
  for (let n = 0; n < 30; n++) await scim("POST", "/Users", { userName: `person-${n}@example.com` });
  const names = Array.from({ length: 30_000 }, (_, n) => `q${n}`);
  const before = process.cpuUsage();
  const { json } = await scim("POST", "/Users/.search", { attributes: [...names, "name.givenName", "meta"] });
  const { user: spent } = process.cpuUsage(before);
  const ada = json.Resources.find((each: { id: string }) => each.id === user);
  assert.deepEqual(Object.keys(ada), ["schemas", "id", "name", "meta"]);
  assert.deepEqual([json.itemsPerPage, ada.name], [32, { givenName: "Ada" }]);
  assert.ok(spent < 1_000_000, `${spent} µs of CPU`);
  const { json: others } = await scim("POST", "/Users/.search", { excludedAttributes: ["emails", "name.givenName"] });
  assert.ok(others.Resources.every((each: object) => !("emails" in each) && "userName" in each));
});
