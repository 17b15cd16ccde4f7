import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startShell, type TestShell } from "../harness/processes/shell.ts";

let shell: TestShell;
let { json, muster, refused } = {} as TestShell;

before(async () => {
  shell = await startShell();
  ({ json, muster, refused } = shell);
  await json("tenant", "create", "acme", "--name", "Acme");
  await json("tenant", "create", "other", "--name", "Other");
});
after(() => shell.stop());

test("the operator assigns domains to tenants, one tenant each, in any spelling", async () => {
  assert.equal((await muster(["tenant", "domain", "list", "acme"])).stdout, "No domains.\n");
  const added = await muster(["tenant", "domain", "add", "acme", " Bücher.Example "]);
  assert.equal(added.stdout, "People with addresses of xn--bcher-kva.example sign in at the provider of acme.\n");
  assert.match(await refused("tenant", "domain", "add", "other", "BÜCHER.example"), /assigned to a tenant already/);
  assert.match(
    (await muster(["tenant", "domain", "list", "acme"])).stdout,
    /^DOMAIN +ADDED\nxn--bcher-kva.example +\S+\n$/,
  );

  assert.match(await refused("tenant", "domain", "remove", "other", "bücher.example"), /no such domain/i);
  await json("tenant", "domain", "remove", "acme", "bücher.example");
  await json("tenant", "domain", "add", "other", "bücher.example");
  const acts = (await json("admin-audit", "--tenant", "acme")).items.map(({ act }: { act: string }) => act);
  assert.deepEqual(acts, ["tenant.remove-domain", "tenant.add-domain", "tenant.create"]);
});

test("text that is no domain of the internet is refused", async () => {
  for (const text of ["localhost", "ada@acme.example", "acme..example", "192.0.2.1", "*.acme.example"])
    assert.match(await refused("tenant", "domain", "add", "acme", text), /not a domain of e-mail addresses/, text);
  assert.match(await refused("tenant", "domain", "add", "nobody", "acme.example"), /no such tenant/i);
});

test("of two tenants that are assigned a domain at the same time, one gets it", async () => {
  const { access } = shell.server.app;
  const callers = await Promise.all(["acme", "other"].map((slug) => access.systemCaller(slug)));
  const tries = callers.map((caller) => access.addTenantDomain(caller, "raced.example"));
  const outcomes = (await Promise.allSettled(tries)).map(({ status }) => status).sort();
  assert.deepEqual(outcomes, ["fulfilled", "rejected"]);
});
