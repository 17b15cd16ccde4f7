import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Client, SURFACES } from "./client.ts";
import { goProgram } from "./programs.ts";
import { run } from "./run.ts";

const OAPI_CODEGEN = "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2";
const STORY = join(import.meta.dirname, "stories/go");

/** Packages of one Go module, beside the program that uses them. */
export const oapiCodegen: Client = {
  name: "oapi-codegen",
  needs: ["go"],
  generate: async (descriptions, folder) => {
    const program = await goProgram("oapi-codegen", OAPI_CODEGEN);
    const outputs: string[] = [];
    for (const surface of SURFACES) {
      mkdirSync(join(folder, surface));
      const output = join(folder, surface, `${surface}.gen.go`);
      const args = ["-generate", "types,client", "-package", surface, "-o", output, descriptions[surface]];
      outputs.push(await run(program, args));
    }
    return outputs.join("\n");
  },
  compile: async (folder) => {
    for (const file of ["main.go", "go.mod", "go.sum"]) copyFileSync(join(STORY, file), join(folder, file));
    await run("go", ["vet", "./..."], { cwd: folder });
    await run("go", ["build", "-o", "story", "."], { cwd: folder });
  },
  story: (folder, environment) => run(join(folder, "story"), [], { cwd: folder, env: environment }),
};
