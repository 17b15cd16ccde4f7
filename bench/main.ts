/**
 * `npm run bench`: measures the product beside its peers in one run, prints a table and writes `bench/results/*.json`.
 *
 *   npm run bench                               every row, about thirty minutes
 *   npm run bench -- csr connects               rows whose name contains one of the words
 *   npm run bench -- lists devices=100000       the admin app's lists with fewer devices than a million
 *   npm run bench -- app-live minutes=10        each screen of the row for ten minutes
 *   npm run bench -- ingest-stream rate=2000    acknowledgements from a stream; only by this word
 *
 * A row that fails is reported and the others go on. The exit code is 0 when all selected rows are there.
 * Linux only: CPU time and memory are read from /proc. The load comes from this process over loopback and
 * shares the machine with what it measures, so the CPU time of a piece of work says more than the rate.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isMet, machine, table } from "./report.ts";
import { appInBrowser } from "./rows/app-load.ts";
import { charts } from "./rows/charts.ts";
import { commandDelivery } from "./rows/command.ts";
import { csrToLeaf } from "./rows/enrollment/csr-to-leaf.ts";
import { enrollments } from "./rows/enrollment/enrollments.ts";
import { getDevice } from "./rows/get-device.ts";
import { ingest } from "./rows/ingest.ts";
import { ingestStream } from "./rows/ingest-stream.ts";
import { lists } from "./rows/lists.ts";
import { rollUps } from "./rows/roll-ups.ts";
import { workers } from "./rows/workers.ts";
import { figures, missing, onlyNamed, progress, row, withoutPeer } from "./run.ts";

await row("csr", csrToLeaf);
await enrollments();
await row("workers", workers);
await ingest();
await row("command", commandDelivery);
await row("device", getDevice);
await row("lists", lists);
await row("rollups", rollUps);
await charts();
await appInBrowser();
await row(onlyNamed("ingest-stream"), ingestStream);

if (figures.length + missing.length === 0) missing.push("no row has such a name");
console.log(`\n${table(figures)}`);
for (const line of withoutPeer) console.log(`without a peer: ${line}`);
for (const line of missing) console.log(`MISSING ${line}`);
const results = join(import.meta.dirname, "results");
mkdirSync(results, { recursive: true });
const at = new Date().toISOString();
const file = join(results, `${at.replaceAll(":", "-")}.json`);
const measured = figures.map((each) => ({ ...each, met: isMet(each) }));
writeFileSync(
  file,
  `${JSON.stringify({ at, machine: machine(), figures: measured, missing, withoutPeer }, null, 2)}\n`,
);
progress(`written to ${file}`);
process.exit(missing.length === 0 ? 0 : 1);
