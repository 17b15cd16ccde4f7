#!/usr/bin/env node
// A launcher old Node versions can parse, so that they get a sentence instead of a syntax error.
import * as nodeModule from "node:module";
import { requireNode } from "./require-node.mjs";

requireNode("muster", [24, 7]);
// What Node made of the sources is kept beside them, where only those may write who may change the sources as well;
// where this process may not, it does without.
nodeModule.enableCompileCache(`${import.meta.dirname}/../node_modules/.cache/node`);
await import("../src/cli/main.ts");
