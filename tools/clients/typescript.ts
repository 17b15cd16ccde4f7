import { symlinkSync, writeFileSync } from "node:fs";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { type Client, SURFACES } from "./client.ts";
import { run } from "./run.ts";

const ROOT = join(import.meta.dirname, "../..");
const GENERATOR = join(ROOT, "tools/api-client/node_modules/openapi-typescript/bin/cli.js");
const TSC = join(ROOT, "node_modules/.bin/tsc");
const STORY = join(import.meta.dirname, "stories/typescript/story.ts");

const STRICT = {
  target: "es2024",
  lib: ["es2024", "dom", "dom.iterable"],
  strict: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: true,
  noEmit: true,
};

/** Type-checks every file of a folder strictly. */
export async function compileTypeScript(folder: string): Promise<void> {
  const compilerOptions = { ...STRICT, module: "esnext", moduleResolution: "bundler", types: [] };
  await check(folder, { compilerOptions, include: ["**/*.ts"] });
}

async function check(folder: string, configuration: object): Promise<void> {
  writeFileSync(join(folder, "tsconfig.check.json"), JSON.stringify(configuration));
  await run(TSC, ["-p", "tsconfig.check.json"], { cwd: folder });
}

/** Types for openapi-fetch, beside the program that uses them. */
export const openapiTypescript: Client = {
  name: "openapi-typescript",
  needs: [],
  generate: async (descriptions, folder) => {
    const outputs: string[] = [];
    for (const surface of SURFACES) {
      const args = [GENERATOR, descriptions[surface], "-o", join(folder, `${surface}.ts`)];
      outputs.push(await run(process.execPath, args));
    }
    return outputs.join("\n");
  },
  compile: async (folder) => {
    symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
    writeFileSync(join(folder, "package.json"), '{"type":"module"}');
    await copyFile(STORY, join(folder, "story.ts"));
    const compilerOptions = {
      ...STRICT,
      lib: ["es2024"],
      module: "nodenext",
      types: ["node"],
      allowImportingTsExtensions: true,
    };
    await check(folder, {
      compilerOptions: { ...compilerOptions, exactOptionalPropertyTypes: true },
      files: ["story.ts"],
    });
  },
  story: (folder, environment) =>
    run(process.execPath, ["story.ts"], {
      cwd: folder,
      env: { ...environment, NODE_EXTRA_CA_CERTS: environment.CA_FILE },
    }),
};
