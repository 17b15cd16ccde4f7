import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CACHE } from "./cache.ts";
import { type Client, type Descriptions, SURFACES } from "./client.ts";
import { generatorJar, type Program, pythonWith } from "./programs.ts";
import { run } from "./run.ts";
import { compileTypeScript } from "./typescript.ts";

/** OpenAPI Generator with its settings for a language; none of them maps a name. */
function fromJar(
  name: string,
  settings: readonly string[],
  needs: readonly Program[],
  compile: (folder: string) => Promise<unknown>,
): Client {
  const generate = async (descriptions: Descriptions, folder: string) => {
    const jar = await generatorJar();
    const outputs: string[] = [];
    for (const surface of SURFACES) {
      const output = join(folder, surface);
      const args = ["generate", "-i", descriptions[surface], "-g", name, "-o", output, ...settings];
      outputs.push(await run("java", ["-jar", jar, ...args, `--package-name=muster_${surface}`]));
    }
    return outputs.join("\n");
  };
  return {
    name: `openapi-generator ${name}`,
    needs: ["java", "mvn", ...needs],
    generate,
    compile: async (folder) => {
      for (const surface of SURFACES) await compile(join(folder, surface));
    },
  };
}

/** Compiles a package of Python and imports each of its modules, which resolves every type. */
export async function importAll(python: string, folder: string, name: string): Promise<void> {
  await run(python, ["-m", "compileall", "-q", name], { cwd: folder });
  const program = `import pkgutil, importlib, ${name} as p
for m in pkgutil.walk_packages(p.__path__, "${name}."): importlib.import_module(m.name)`;
  await run(python, ["-W", "error", "-c", program], { cwd: folder });
}

const PYTHON = ["urllib3==2.7.0", "python-dateutil==2.9.0.post0", "pydantic==2.12.5", "typing-extensions==4.15.0"];

async function compilePython(folder: string): Promise<void> {
  const bin = await pythonWith("openapi-generator-python", PYTHON);
  const name = /name = "(\w+)"/.exec(readFileSync(join(folder, "pyproject.toml"), "utf8"))![1]!;
  await importAll(join(bin, "python"), folder, name);
}

async function compileGo(folder: string): Promise<void> {
  await run("go", ["mod", "tidy"], { cwd: folder });
  await run("go", ["build", "./..."], { cwd: folder });
  await run("go", ["vet", "."], { cwd: folder });
}

async function compileJava(folder: string): Promise<void> {
  await run("mvn", ["-q", "-B", "compile"], { cwd: folder });
}

async function compileRust(folder: string): Promise<void> {
  // The clients of both descriptions share their compiled dependencies.
  const env = { CARGO_TARGET_DIR: join(CACHE, "cargo-target"), RUSTFLAGS: "-A warnings" };
  await run("cargo", ["check", "-q"], { cwd: folder, env });
}

export const openapiGenerators: readonly Client[] = [
  fromJar("python", [], ["python3"], compilePython),
  fromJar("go", [], ["go"], compileGo),
  fromJar("java", [], [], compileJava),
  fromJar("typescript-fetch", [], [], compileTypeScript),
  fromJar("rust", [], ["cargo"], compileRust),
];
