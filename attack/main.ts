/**
 * `npm run attack`: each way in which a tenant, a device or an unauthenticated client could harm others, beside an
 * honest tenant whose figures are printed without and with the attack. Exits with 1 when a promise is broken.
 *
 *   npm run attack                                every attack on both databases, the front door with workers too
 *   npm run attack -- --database=embedded qos2    attacks whose name contains one of the words
 *   npm run attack -- --database=apart            those of the front door, HTTPS in a process of its own
 *   npm run attack -- --short                     a few seconds an attack, all on one server: for CI
 *
 * Linux only: memory and descriptors are read from /proc.
 */
import { parseArgs } from "node:util";
import { throwIfEnded } from "../load/interrupt.ts";
import { progressTo } from "../load/measure.ts";
import { attacksMatching, FRONT_DOOR } from "./attacks/index.ts";
import { type Row, table } from "./report.ts";
import { runAttacks } from "./run-attacks.ts";
import { APART, DATABASES, type DatabaseKind } from "./service.ts";

const { values, positionals } = parseArgs({
  options: { database: { type: "string" }, short: { type: "boolean", default: false } },
  allowPositionals: true,
});
const { database, short } = values;
const databases: DatabaseKind[] =
  database === APART ? [APART] : DATABASES.filter((kind) => database === undefined || kind === database);
if (databases.length === 0)
  throw new Error(`Unknown database ${database}. Valid databases: ${[...DATABASES, APART].join(", ")}`);
const attacks = attacksMatching(positionals);
const progress = progressTo(console.log);

// One server for all in the short form; otherwise one for each attack, so that none finds what another has left.
const seriesOf = (kind: DatabaseKind) => {
  const chosen =
    kind === "workers" || kind === APART ? attacks.filter((attack) => FRONT_DOOR.includes(attack)) : attacks;
  return short && chosen.length > 0 ? [chosen] : chosen.map((attack) => [attack]);
};
const rows: Row[] = [];
let failures = 0;
for (const kind of databases) {
  for (const each of seriesOf(kind)) {
    try {
      await runAttacks(kind, each, short, progress, (row) => rows.push(row));
    } catch (error) {
      throwIfEnded();
      failures++;
      progress(`${kind}: FAILED: ${error instanceof Error ? error.message : error}`);
    }
  }
}
console.log(`\n${table(rows)}`);
if (failures > 0) console.log(`FAILED: ${failures}, of which the table has no row`);
process.exit(failures > 0 || rows.some(({ broken }) => broken.length > 0) ? 1 : 0);
