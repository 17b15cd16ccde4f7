import assert from "node:assert/strict";
import { chownSync, createReadStream, createWriteStream, mkdirSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { Buildah } from "../../image/buildah.ts";
import { confined } from "../confined.ts";
import type { Installation } from "../service.ts";
import { underLimit } from "./memory.ts";

/** The configuration of an image that decides how a container runs. */
export interface ImageConfig {
  User: string;
  Env: string[];
  Entrypoint: string[];
  Cmd: string[];
  WorkingDir: string;
  Volumes: Record<string, object>;
  ExposedPorts: Record<string, object>;
  Labels: Record<string, string>;
  StopSignal: string;
  Healthcheck: { Test: string[] };
}

export interface UnpackedImage {
  config: ImageConfig;
  rootFolder: string;
}

/** Unpacks an image, as the file that a release has, below `work`. */
export async function unpackImage(file: string, work: string): Promise<UnpackedImage> {
  const buildah = new Buildah(join(work, "storage"));
  // The buildah of Debian 12 does not read compressed archives.
  const archive = join(work, "image.tar");
  await pipeline(createReadStream(file), createGunzip(), createWriteStream(archive));
  const container = await buildah.run(["from", `docker-archive:${archive}`]);
  const rootFolder = await buildah.run(["mount", container]);
  const { Docker } = JSON.parse(await buildah.run(["inspect", container]));
  return { config: Docker.config, rootFolder };
}

/** A container of the image with a new volume at `/data`, as Docker creates it: with owner and mode of the folder. */
export interface Container extends Installation {
  /** The volume's folder. */
  volume: string;
  /** The image's health check, in Docker's form. */
  healthCheck: readonly string[];
  /** Returns the command line and the environment of another program in the same container. */
  exec(words: readonly string[]): { command: string[]; env: Record<string, string> };
}

/**
 * Describes a container with a read-only root, no capabilities and the environment of the image alone. No runtime
 * starts it: it shares network and process ids of this machine.
 */
export function containerOf(image: UnpackedImage, volume: string, env: Record<string, string>): Container {
  const { config, rootFolder } = image;
  const [user, group] = config.User.split(":").map(Number);
  mkdirSync(volume, { mode: 0o700 });
  chownSync(volume, user!, group!);
  const inside = confined({ rootFolder, user: config.User, readOnly: true, writable: { "/data": volume } });
  const own = Object.fromEntries(config.Env.map((each) => [each.split("=")[0]!, each.slice(each.indexOf("=") + 1)]));
  const environment = { ...own, HOME: "/home/node", ...env };
  assert.deepEqual(config.Cmd, ["serve"]);
  return {
    command: [...underLimit(), ...inside, ...config.Entrypoint],
    cwd: volume,
    env: environment,
    volume,
    healthCheck: config.Healthcheck.Test,
    pathOnHost: (path) => path.replace(/^\/data(?=\/)/, volume),
    exec: (words) => ({ command: [...inside, ...words], env: environment }),
  };
}
