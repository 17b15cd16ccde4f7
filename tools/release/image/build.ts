/** The container image as one file, which `docker load` and `podman load` take. */
import {
  createReadStream,
  createWriteStream,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { arch, tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { findProgram } from "../../go-programs.ts";
import { run } from "../run.ts";
import { Buildah } from "./buildah.ts";
import { addStandIn, STAND_IN, STAND_IN_LABEL } from "./stand-in.ts";

/** The largest size of the compressed image, in bytes. */
const MOST_IMAGE_BYTES = 90 * 1000 * 1000;
/** Docker's names of the architectures for which the base is published. */
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64" };

export interface ImageOptions {
  root: string;
  out: string;
  version: string;
  /** Whether the base is made of Debian's packages and this machine's Node, where no registry can be reached. */
  standIn: boolean;
}

/** Returns the file name of the image for this machine. */
export function imageFileName(version: string): string {
  return `muster-image-${version}-${ARCHITECTURES[arch()]}.tar.gz`;
}

/**
 * Builds the image for this machine with Docker, or with buildah where no Docker daemon answers.
 * @returns the file name
 * @throws Error if the image exceeds its limit
 */
export async function buildImage(options: ImageOptions): Promise<string> {
  const { root, out, version } = options;
  const work = mkdtempSync(join(tmpdir(), "muster-image-"));
  const name = imageFileName(version);
  try {
    const archive = join(work, "image.tar");
    const labels = { VERSION: version, REVISION: (await run("git", ["rev-parse", "HEAD"], { cwd: root })).trim() };
    if (!options.standIn && (await dockerAnswers(root))) await buildWithDocker(root, labels, archive);
    else await buildWithBuildah(options, labels, work, archive);
    await pipeline(createReadStream(archive), createGzip({ level: 9 }), createWriteStream(join(out, name)));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  const { size } = statSync(join(out, name));
  if (size > MOST_IMAGE_BYTES) throw new Error(`${name} has ${size} bytes, at most ${MOST_IMAGE_BYTES}`);
  return name;
}

async function dockerAnswers(root: string): Promise<boolean> {
  if (findProgram("docker") === undefined) return false;
  return await run("docker", ["info"], { cwd: root }).then(
    () => true,
    () => false,
  );
}

async function buildWithDocker(root: string, labels: Record<string, string>, archive: string): Promise<void> {
  const tag = `muster:${labels.VERSION}`;
  await run("docker", ["build", "--tag", tag, ...buildArguments(labels), "."], { cwd: root });
  await run("docker", ["save", "--output", archive, tag], { cwd: root });
}

/** Keeps the layers in `work`, so that the machine's own images stay as they are. */
async function buildWithBuildah(
  { root, version, standIn }: ImageOptions,
  labels: Record<string, string>,
  work: string,
  archive: string,
): Promise<void> {
  if (findProgram("buildah") === undefined) throw new Error("no Docker daemon answers, and buildah is not installed");
  const buildah = new Buildah(join(work, "storage"));
  const tag = `localhost/muster:${version}`;
  if (standIn) await addStandIn(buildah, work);
  const file = standIn ? standInDockerfile(root, work) : join(root, "Dockerfile");
  // The OCI format has no health check.
  const form = ["--isolation", "chroot", "--format", "docker", "--file", file, "--tag", tag];
  // The machine's cache of npm saves downloads; a volume is in no layer.
  const cache = (await run("npm", ["config", "get", "cache"], { cwd: root })).trim();
  const volumes = existsSync(cache) ? ["--volume", `${cache}:/root/.npm`] : [];
  await buildah.run(["build", ...form, ...volumes, ...buildArguments(labels), root]);
  await buildah.run(["push", tag, `docker-archive:${archive}:muster:${version}`]);
}

/** Writes the Dockerfile with the stand-in for its base, and a label that says so. */
function standInDockerfile(root: string, work: string): string {
  const file = join(work, "Dockerfile");
  const text = readFileSync(join(root, "Dockerfile"), "utf8").replace(/^FROM node:\S+/m, `FROM ${STAND_IN}`);
  writeFileSync(file, `${text}LABEL ${STAND_IN_LABEL}="${STAND_IN}"\n`);
  return file;
}

function buildArguments(values: Record<string, string>): string[] {
  return Object.entries(values).flatMap(([name, value]) => ["--build-arg", `${name}=${value}`]);
}
