import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { bareDatabase, onPostgres } from "../harness/database/database.ts";
import { musterProcess } from "../harness/processes/command-line.ts";

let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "muster-address-"));
});
after(() => rm(folder, { recursive: true }));

/** Returns what `muster migrate` prints on stderr when it fails. */
async function refused(settings: Record<string, string>): Promise<string> {
  const { stderr, code } = await musterProcess(["migrate"], folder, settings);
  assert.equal(code, 1);
  assert.doesNotMatch(stderr, /s3cret/);
  return stderr;
}

/** Returns a port on which no program listens. */
async function closedPort(): Promise<number> {
  const server = createServer();
  const port = await new Promise<number>((resolve) =>
    server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port)),
  );
  await new Promise((closed) => server.close(closed));
  return port;
}

test("an address without a PostgreSQL is reported with its setting and without its password", async () => {
  const port = await closedPort();
  assert.equal(
    await refused({ MUSTER_DATABASE_URL: `postgres://ada:s3cret@127.0.0.1:${port}/muster?password=s3cret` }),
    `muster: MUSTER_DATABASE_URL (postgres://ada@127.0.0.1:${port}/muster) cannot be used: connect ECONNREFUSED 127.0.0.1:${port}\n`,
  );
  const both = await refused({
    MUSTER_DATABASE_URL: "postgres://pooler/muster",
    MUSTER_DATABASE_DIRECT_URL: `postgres://ada:s3cret@localhost:${port}/muster`,
  });
  assert.match(both, /^muster: MUSTER_DATABASE_DIRECT_URL \(.*\) cannot be used: connect ECONNREFUSED /);
});

test("a password that is not encoded, and a missing certificate, are reported with the setting", async () => {
  const misspelled = await refused({ MUSTER_DATABASE_URL: "postgres://ada:s3cret%E0@127.0.0.1/muster" });
  assert.match(misspelled, /^muster: MUSTER_DATABASE_URL \(.*\) cannot be used: URI malformed$/m);
  const file = await refused({ MUSTER_DATABASE_URL: "postgres://ada:s3cret@127.0.0.1/muster?sslrootcert=/none.pem" });
  assert.match(file, /^muster: MUSTER_DATABASE_URL \(.*\) cannot be used: ENOENT: .*none\.pem/);
});

if (onPostgres)
  test("a database that does not exist is reported with the setting", async (t) => {
    const { url, remove } = await bareDatabase();
    t.after(remove);
    const other = new URL(url!);
    other.pathname = "/no_such_database";
    assert.match(
      await refused({ MUSTER_DATABASE_URL: other.href }),
      /^muster: MUSTER_DATABASE_URL \(.*\) cannot be used: database "no_such_database" does not exist$/m,
    );
  });
