import { statSync } from "node:fs";
import { join } from "node:path";
import { findProgram } from "../go-programs.ts";
import { packageChart } from "./chart/package.ts";
import { buildDebianPackage } from "./debian/package.ts";
import { buildImage } from "./image/build.ts";
import { buildPackages } from "./packages/packages.ts";
import { buildSboms } from "./sbom/sboms.ts";

export interface BuildContext {
  /** The repository. */
  root: string;
  /** The folder for artifacts. */
  out: string;
  version: string;
  /** Whether a stand-in replaces the base of the image. */
  standIn: boolean;
}

/** One kind of artifact. */
export interface Artifact {
  name: string;
  /** Programs that the build runs, and where they come from; `a|b` is any of two. */
  programs: Readonly<Record<string, string>>;
  /** Builds it into `out`. @returns one line per file */
  build(context: BuildContext): Promise<string[]>;
}

const MODULE = "tools/go-programs";

/** The artifacts of a release in the order of their building; that of npm builds the admin app for all. */
export const artifacts: readonly Artifact[] = [
  {
    name: "npm",
    programs: { npm: "Node" },
    build: async ({ root, out }) =>
      Object.values(await buildPackages(root, out)).map(
        ({ filename, unpackedSize }) => `${filename}, ${(unpackedSize / 1e6).toFixed(1)} MB unpacked`,
      ),
  },
  {
    name: "debian",
    programs: { nfpm: MODULE },
    build: async ({ root, out, version }) => {
      const name = await buildDebianPackage(root, out, version);
      return [`${name}, ${(statSync(join(out, name)).size / 1e6).toFixed(1)} MB`];
    },
  },
  {
    name: "image",
    programs: { git: "Debian", "docker|buildah": "Debian" },
    build: async (context) => {
      const name = await buildImage(context);
      const base = context.standIn
        ? "on a stand-in for the base, not to be published"
        : "on the base of the Dockerfile";
      return [`${name}, ${(statSync(join(context.out, name)).size / 1e6).toFixed(1)} MB, ${base}`];
    },
  },
  {
    name: "chart",
    programs: { helm: MODULE },
    build: async ({ root, out, version }) => [await packageChart(root, out, version)],
  },
  {
    name: "sbom",
    programs: { npm: "Node" },
    build: ({ root, out, version }) => buildSboms(root, out, version),
  },
];

/** Returns a sentence for each artifact whose programs are not on the path. */
export function missingPrograms(wanted: readonly Artifact[]): string[] {
  return wanted.flatMap(({ name, programs }) => {
    const missing = Object.entries(programs).filter(([any]) =>
      any.split("|").every((each) => findProgram(each) === undefined),
    );
    return missing.map(([program, from]) => `${name} needs ${program.replace("|", " or ")} (${from})`);
  });
}
