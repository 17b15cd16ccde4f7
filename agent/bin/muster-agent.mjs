#!/usr/bin/env node
// A launcher old Node versions can parse, so that they get a sentence instead of a syntax error. The sources need
// Node 24; the published package, which is compiled, has `oldest` replaced.
const oldest = 24;
if (Number(process.versions.node.split(".")[0]) < oldest) {
  console.error(
    `muster-agent needs Node ${oldest} or later; this is ${process.version}. In a clone, run npx muster-agent.`,
  );
  process.exit(1);
}
await import("../src/cli.ts");
