import { after } from "node:test";

/**
 * Loaded before every test file: a file whose tests are over but whose process lives on has forgotten to close
 * something. It is given a moment, then it fails and says what is open, instead of hanging the run for ever.
 */
const GRACE_MS = 20_000;

after(() => {
  setTimeout(() => {
    const open = process.getActiveResourcesInfo().filter((kind) => kind !== "PipeWrap");
    process.stderr.write(`${process.argv[1]}: still open ${GRACE_MS / 1000} s after its tests: ${open.join(", ")}\n`);
    process.exit(1);
  }, GRACE_MS).unref();
});
