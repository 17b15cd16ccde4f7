#!/usr/bin/env node
// A launcher old Node versions can parse, so that they get a sentence instead of a syntax error.
import * as nodeModule from "node:module";

const major = Number(process.versions.node.split(".")[0]);
if (major < 24) {
  console.error(
    `muster needs Node 24 or later; this is ${process.version}. Run it through npm (npx muster, npm start).`,
  );
  process.exit(1);
}
// What Node made of the sources is kept beside them, where only those may write who may change the sources as well;
// where this process may not, it does without.
nodeModule.enableCompileCache(`${import.meta.dirname}/../node_modules/.cache/node`);
await import("../src/cli/main.ts");
