#!/usr/bin/env node
// A launcher old Node versions can parse, so that they get a sentence instead of a syntax error.
const major = Number(process.versions.node.split(".")[0]);
if (major < 24) {
  console.error(
    `muster-agent needs Node 24 or later; this is ${process.version}. Run it through npm (npx muster-agent).`,
  );
  process.exit(1);
}
await import("../src/cli.ts");
