/**
 * `npm run bench`: measures the product beside its peers in one run, prints a table and writes `bench/results/*.json`.
 *
 *   npm run bench                    every row, some thirty minutes, six of them ingest
 *   npm run bench -- csr connects    rows whose name contains one of the words
 *                                    (csr redemption renewals memory revocation connects stored workers ingest device lists chart
 *                                    charts app-load app-live app-streams long-lists)
 *   npm run bench -- long-lists devices=100000   the admin app's lists with fewer devices than a million
 *   npm run bench -- app-live minutes=10   each screen of the row for ten minutes
 *   npm run bench -- churn minutes=10 every=20   clients that come and go while a worker is killed; only by this word
 *   npm run bench -- many-sessions   200,000 sessions that are taken over and reaped, and their devices silent; only by this word
 *   npm run bench -- ingest-stream rate=2000   acknowledgements from a stream beside those of PostgreSQL; only by this word
 *   npm run bench -- million-jobs    what the periodic jobs cost with a million devices, a thousand of which send; only by this word
 *   npm run bench -- audit-10m       a certificate audit of ten million entries; only by this word
 *   npm run bench -- lists-10m       lists of ten million rows, or of rows=…, by every filter; only by this word
 *
 * Linux only: CPU time and memory are read from /proc. Rows whose peer is not installed say so. The load comes from this
 * process over loopback and shares the machine with what it measures, so CPU a piece of work says more than the rate.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isMet, machine, table } from "./report.ts";
import { csrToLeaf } from "./rows/enrollment/csr-to-leaf.ts";
import { add, figures, isNamed, progress, skipped, wants } from "./run.ts";
import { appBesideIngest, appInBrowser } from "./sections/app.ts";
import { chartsOnBoth } from "./sections/charts.ts";
import { churnOnPostgres } from "./sections/churn.ts";
import { ingestOnEmbedded, ingestOnPostgres } from "./sections/ingest.ts";
import { ingestStreamOnPostgres } from "./sections/ingest-stream.ts";
import { readsOfLongestLists } from "./sections/longest-lists.ts";
import { manySessionsOnPostgres, millionJobsOnPostgres } from "./sections/many-sessions.ts";
import { readsOfApp, readsOfAudit, readsOfCharts, readsOfDevices, readsOfLists } from "./sections/reads.ts";
import { redemptionsOnEmbedded, sessionsOnPostgres } from "./sections/sessions.ts";
import { workersOnPostgres } from "./sections/workers.ts";

if (wants("csr")) {
  progress("CSR to leaf");
  add(await csrToLeaf());
}
if (wants("redemption", "renewals")) await redemptionsOnEmbedded();
if (wants("redemption", "renewals", "memory", "revocation", "connects", "stored")) await sessionsOnPostgres();
if (wants("workers")) await workersOnPostgres();
if (wants("ingest-pglite")) await ingestOnEmbedded();
if (wants("ingest-postgresql")) await ingestOnPostgres();
if (wants("device")) await readsOfDevices();
if (wants("lists")) await readsOfLists();
if (wants("long-lists")) await readsOfApp();
if (wants("chart")) await readsOfCharts();
if (wants("charts")) await chartsOnBoth();
if (wants("app-load", "app-live")) await appInBrowser();
if (wants("app-streams")) await appBesideIngest();
if (isNamed("churn")) await churnOnPostgres();
if (isNamed("ingest-stream")) await ingestStreamOnPostgres();
if (isNamed("many-sessions")) await manySessionsOnPostgres();
if (isNamed("million-jobs")) await millionJobsOnPostgres();
if (isNamed("audit-10m")) await readsOfAudit();
if (isNamed("lists-10m")) await readsOfLongestLists();

console.log(`\n${table(figures)}`);
for (const line of skipped) console.log(`skipped: ${line}`);
const results = join(import.meta.dirname, "results");
mkdirSync(results, { recursive: true });
const at = new Date().toISOString();
const file = join(results, `${at.replaceAll(":", "-")}.json`);
const report = { at, machine: machine(), figures: figures.map((f) => ({ ...f, met: isMet(f) })), skipped };
writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`);
progress(`written to ${file}`);
process.exit();
