import { after } from "node:test";

/**
 * Loaded before every test file. If the process keeps running after its tests have ended, something was not closed.
 * After this time the file fails and prints what is open, instead of hanging the run. `?ms=` in its address sets
 * another time.
 */
const GRACE_MS = Number(new URL(import.meta.url).searchParams.get("ms") ?? 20_000);

after(() => {
  setTimeout(() => {
    const open = process.getActiveResourcesInfo().filter((kind) => kind !== "PipeWrap");
    process.stderr.write(`${process.argv[1]}: still open ${GRACE_MS / 1000} s after its tests: ${open.join(", ")}\n`);
    process.exit(1);
  }, GRACE_MS).unref();
});
