import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openDatabase } from "../../../src/db/database.ts";
import { createLogger } from "../../../src/lib/logger.ts";
import { onPostgres } from "../../harness/database/database.ts";
import { runSql } from "../../harness/database/run-sql.ts";
import { connectMqtt, enrollDevice, newTenant } from "../../harness/devices.ts";
import { https } from "../../harness/http/https.ts";
import { startServer, type TestServer } from "../../harness/server.ts";

const STATEMENT_SECONDS = 2;

let server: TestServer;
before(async () => {
  server = await startServer({ onDisk: true });
});
after(() => server.stop());

const sql = (text: string) => runSql<Record<string, unknown>>(server.app.database.db, text);

test("while a statement runs for seconds, /healthz answers and open sessions stay", async () => {
  const device = await enrollDevice(server, await newTenant(server));
  const session = await connectMqtt(server, device);
  // If the statement blocked the answers, none would ever arrive before its end. A busy machine may need a second
  // statement.
  let meanwhile = 0;
  while (meanwhile < 2) {
    let ended = false;
    const long = sql(`SELECT pg_sleep(${STATEMENT_SECONDS})`).finally(() => {
      ended = true;
    });
    // An address may ask only so often.
    while (!ended && meanwhile < 2) {
      const { status } = await https(`${server.httpUrl}/healthz`, { ca: server.ca });
      assert.equal(status, 200);
      if (!ended) meanwhile++;
    }
    await long;
  }
  assert.ok(session.connected);
  await session.endAsync();
});

test("statements of transactions that wait for each other are answered in order, each transaction as a whole", async () => {
  const { db } = server.app.database;
  await sql("CREATE TABLE turns (nth integer, step integer, at serial)");
  await Promise.all(
    Array.from({ length: 8 }, (_, nth) =>
      db.transaction().execute(async (tx) => {
        for (let step = 0; step < 3; step++) await runSql(tx, "INSERT INTO turns VALUES ($1, $2)", [nth, step]);
      }),
    ),
  );
  const rows = await sql("SELECT nth FROM turns ORDER BY at");
  const order = rows.map(({ nth }) => nth as number);
  if (!onPostgres)
    assert.deepEqual(
      order,
      [0, 1, 2, 3, 4, 5, 6, 7].flatMap((nth) => [nth, nth, nth]),
    );
  assert.equal(order.length, 24);
});

test("an answer of megabytes arrives complete, and a dump is consistent while statements run", async () => {
  const [row] = await sql("SELECT repeat('0123456789', 500000) AS text");
  assert.equal(row!.text, "0123456789".repeat(500_000));
  if (onPostgres) return;
  const dump = server.app.database.dump!();
  const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => sql(`SELECT ${n} AS n`)));
  assert.deepEqual(
    answers.map(([first]) => first!.n),
    Array.from({ length: 50 }, (_, n) => n),
  );
  const copy = await openDatabase({ dataDir: "memory", snapshot: await dump, logger: createLogger("silent") });
  const turns = await runSql<{ n: number }>(copy.db, "SELECT count(*)::int AS n FROM turns");
  assert.deepEqual({ ...turns[0] }, { n: 24 });
  await copy.close();
});
