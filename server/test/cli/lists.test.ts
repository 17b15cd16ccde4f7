import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startShell, type TestShell } from "../harness/processes/shell.ts";

let shell: TestShell;
let { json, muster, refused } = {} as TestShell;

before(async () => {
  shell = await startShell();
  ({ json, muster, refused } = shell);
});
after(() => shell.stop());

test("tenants, devices and claims are listed page by page, and the last line gives their number", async () => {
  const shown = async (...args: string[]) => (await muster(args)).stdout.trimEnd();
  await json("tenant", "create", "other", "--name", "Other");
  await json("tenant", "create", "lists", "--name", "Lists");
  const tenants = await json("tenant", "list");
  assert.equal(tenants.items[0].slug, "lists");
  assert.ok(tenants.total === 2 && tenants.items.length === tenants.total);
  const newest = await shown("tenant", "list", "--limit", "1");
  assert.match(
    newest,
    /^SLUG +NAME +CREATED +ID\nlists +Lists +\S+ +\S+\nShown: 1 of \d+ tenants\. --skip 1 shows the next ones\.$/,
  );

  const list = (what: string, ...options: string[]) => shown(what, "list", "--tenant", "lists", ...options);
  assert.equal(await list("device"), "No devices.");
  for (const id of ["pump-1", "pump-2", "valve-1"])
    await json("device", "create", "--tenant", "lists", "--id", id, "--name", `Name of ${id}`);
  const all = await list("device");
  assert.match(
    all,
    /^ID +NAME +CONNECTIVITY +CERTIFICATE +LAST SEEN +DEVICE TYPE\nvalve-1 +Name of valve-1 +.+ +none +never +none\n/,
  );
  assert.doesNotMatch(all, /Shown/);
  const pumps = await list("device", "--search", "PUMP", "--skip", "1");
  assert.match(pumps, /\npump-1 .*\nShown: 1 of 2 devices\.$/);
  assert.match(await list("device", "--skip", "9"), /^No devices\.\nShown: 0 of 3 devices\.$/);
  assert.match(await refused("device", "list", "--tenant", "lists", "--limit", "0"), /limit/i);

  const { claimCode } = await json("claim", "create", "--tenant", "lists", "--name", "Line", "--max-uses", "3");
  const claims = await list("claim");
  assert.match(
    claims,
    new RegExp(`^ID +NAME +CODE +STATE +USED +EXPIRES\\n\\S+  Line  …${claimCode.slice(-4)}  pending  0 of 3  \\S+$`),
  );
  assert.ok(!JSON.stringify(await json("claim", "list", "--tenant", "lists")).includes(claimCode));
});
