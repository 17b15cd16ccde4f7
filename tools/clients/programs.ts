import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { cached } from "./cache.ts";
import { run } from "./run.ts";

/** The programs that this machine must have, and their packages in Debian. */
const PACKAGES = {
  python3: "python3 python3-venv",
  java: "default-jdk-headless",
  mvn: "maven",
  go: "golang",
  cargo: "cargo",
} as const;
export type Program = keyof typeof PACKAGES;

/** Returns a sentence about the missing ones of `programs`, if any. */
export function missing(programs: readonly Program[]): string | undefined {
  const absent = programs.filter((program) => !onPath(program));
  if (absent.length === 0) return undefined;
  const packages = absent.map((program) => PACKAGES[program]).join(" ");
  return `this machine has no ${absent.join(" and no ")} (Debian: apt-get install ${packages})`;
}

function onPath(program: string): boolean {
  return (process.env.PATH ?? "").split(delimiter).some((folder) => existsSync(join(folder, program)));
}

const GENERATOR = "7.25.0";

/** Returns the path of OpenAPI Generator's program, which Maven fetches. */
export async function generatorJar(): Promise<string> {
  const folder = await cached("openapi-generator", GENERATOR, (outputDirectory) =>
    run("mvn", [
      "-q",
      "-B",
      "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy",
      `-Dartifact=org.openapitools:openapi-generator-cli:${GENERATOR}`,
      `-DoutputDirectory=${outputDirectory}`,
    ]),
  );
  return join(folder, `openapi-generator-cli-${GENERATOR}.jar`);
}

/** Returns the `bin` folder of a virtual environment of Python with these packages, whose versions are exact. */
export async function pythonWith(name: string, packages: readonly string[]): Promise<string> {
  const folder = await cached(name, packages.join(" "), async (environment) => {
    await run("python3", ["-m", "venv", environment]);
    await run(join(environment, "bin/pip"), ["install", "-q", "--retries", "5", ...packages]);
  });
  return join(folder, "bin");
}

/** Returns the path of a program that is a Go module. */
export async function goProgram(name: string, module: string): Promise<string> {
  const folder = await cached(name, module, (bin) =>
    run("go", ["install", module], { env: { GOBIN: bin, GOFLAGS: "-buildvcs=false" } }),
  );
  return join(folder, name);
}

/** Returns the path of a program of an npm package, whose version is exact. */
export async function npmProgram(name: string, spec: string): Promise<string> {
  const folder = await cached(name, spec, (prefix) =>
    run("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", prefix, spec]),
  );
  return join(folder, "node_modules/.bin", name);
}
