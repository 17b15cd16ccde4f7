import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { type Client, SURFACES } from "./client.ts";
import { importAll } from "./openapi-generator.ts";
import { pythonWith } from "./programs.ts";
import { run } from "./run.ts";

const GENERATOR = ["openapi-python-client==0.29.1"];
const STORY = join(import.meta.dirname, "stories/python");
const PACKAGES = { public: "muster_public_api_client", device: "muster_device_facing_endpoints_client" };

/** The Python of the story, with the packages that the clients and the story import. */
async function python(): Promise<string> {
  const packages = readFileSync(join(STORY, "requirements.txt"), "utf8").trim().split("\n");
  return join(await pythonWith("openapi-python-client-story", packages), "python");
}

/** Packages for httpx, beside the program that uses them. */
export const openapiPythonClient: Client = {
  name: "openapi-python-client",
  needs: ["python3"],
  generate: async (descriptions, folder) => {
    const bin = await pythonWith("openapi-python-client", GENERATOR);
    const outputs: string[] = [];
    for (const surface of SURFACES) {
      const args = ["generate", "--path", descriptions[surface], "--output-path", join(folder, surface)];
      // The generator formats its output with ruff, which is beside it.
      const env = { PATH: `${bin}:${process.env.PATH}` };
      outputs.push(await run(join(bin, "openapi-python-client"), args, { env }));
    }
    return outputs.join("\n");
  },
  compile: async (folder) => {
    for (const surface of SURFACES) {
      await importAll(await python(), join(folder, surface), PACKAGES[surface]);
      symlinkSync(join(surface, PACKAGES[surface]), join(folder, PACKAGES[surface]));
    }
  },
  story: async (folder, environment) =>
    run(await python(), [join(STORY, "story.py")], { cwd: folder, env: { ...environment, PYTHONPATH: folder } }),
};
