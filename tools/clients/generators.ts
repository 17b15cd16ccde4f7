import { readdirSync } from "node:fs";
import { join } from "node:path";
import { CACHE, emptied } from "./cache.ts";
import type { Client, Descriptions, StoryEnvironment } from "./client.ts";
import { oapiCodegen } from "./go.ts";
import { openapiGenerators } from "./openapi-generator.ts";
import { missing } from "./programs.ts";
import { openapiPythonClient } from "./python.ts";
import { openapiTypescript } from "./typescript.ts";

export const CLIENTS: readonly Client[] = [openapiPythonClient, oapiCodegen, openapiTypescript, ...openapiGenerators];

/** The outcome of one generator. */
export interface Result {
  name: string;
  files: number;
  seconds: number;
  /** `run`: its story ran as well. */
  outcome: "compiled" | "run" | "missing" | "failed";
  /** The reason it is missing or failed. */
  reason?: string;
}

/** Warnings that say nothing about the description. */
const EXPECTED = [
  /OpenAPI 3\.1 support is still in beta/,
  // OpenAPI Generator's lookup of a reference that a map or a nullable value does not have; the output is right.
  /Failed to get the schema name: null/,
  // `from` is a parameter of the specification; Python's generator renames a model that it never writes.
  /From \(reserved word\) cannot be used as model name/,
  // `type` is a filter of tickets, named like their field; Go's generator renames the parameter, and a model that it
  // never writes.
  /AbstractGoCodegen - type \(reserved word\) cannot be used as (parameter|model) name/,
  // Rust's generator says this of every name whose case it changes, and of `type` and `in`, which it writes as raw
  // identifiers. If two names became one, its output would not compile.
  /AbstractRustCodegen - \S+ cannot be used as a (enum variant|field\/variable|parameter|model) name\. Renamed to/,
  // The schema of errors is called Error; in TypeScript that is a name of the language.
  /Error \(model name matches existing language type\)/,
  // Its documentation of a parameter shows no object as an example.
  /Ignoring complex example on request body/,
];

/** Generates and compiles the client, and runs its story if there is one. */
export async function prove(client: Client, from: Descriptions, environment: StoryEnvironment): Promise<Result> {
  const { name } = client;
  const began = performance.now();
  const seconds = () => Math.round((performance.now() - began) / 1000);
  const reason = missing(client.needs);
  if (reason) return { name, files: 0, seconds: 0, outcome: "missing", reason };
  const folder = emptied(join(CACHE, "generated", name.replaceAll(" ", "-")));
  let files = 0;
  try {
    const output = await client.generate(from, folder);
    files = filesIn(folder);
    const warnings = warningsIn(output);
    if (warnings.length > 0) throw new Error(warnings.join("\n"));
    await client.compile(folder);
    await client.story?.(folder, environment);
    return { name, files, seconds: seconds(), outcome: client.story ? "run" : "compiled" };
  } catch (error) {
    return { name, files, seconds: seconds(), outcome: "failed", reason: (error as Error).message };
  }
}

/** Returns the warnings of a generator, and the names that it had to invent. */
export function warningsIn(output: string): string[] {
  return [...new Set(output.split("\n"))]
    .filter((line) => !/^\[main\] INFO/.test(line))
    .filter((line) => /\bwarn(ing)?\b|\berror\b|inline_?object/i.test(line))
    .filter((line) => !EXPECTED.some((pattern) => pattern.test(line)));
}

function filesIn(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length;
}
