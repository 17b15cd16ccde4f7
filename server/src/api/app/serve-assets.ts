import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { acceptedEncoding } from "../http/compression.ts";
import { nothingHere } from "../http/nothing-here.ts";
import { refuseOtherMethods } from "../http/other-methods.ts";
import { vary } from "../http/vary.ts";
import type { AppBuild } from "./app-build.ts";

const PATH = "/assets/:name";
/** A file's name contains a hash of its contents. */
const CACHING = "public, max-age=31536000, immutable";

const TYPES: Record<string, string> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
};
const SUFFIX = { br: ".br", gzip: ".gz" } as const;

/** Serves the files that the app's pages load, which were compressed when the app was built. */
export function serveAssets(app: FastifyInstance, build: AppBuild): void {
  const read = readOnce(build.folder);
  app.get(PATH, async (request, reply) => {
    const { name } = request.params as { name: string };
    const type = TYPES[extname(name)];
    // Only names in the build are read, so that no name leads elsewhere.
    if (type === undefined || !build.assets.has(name)) throw nothingHere();
    const file = `${name}${compression(build, name, request, reply)}`;
    const bytes = await read(file).catch(() => Promise.reject(nothingHere()));
    return reply.header("cache-control", CACHING).type(type).send(bytes);
  });
  refuseOtherMethods(app, PATH, ["GET"]);
}

/**
 * Reads each file of the build at its first request and keeps it in memory: all of them together take a few megabytes.
 */
function readOnce(folder: string): (name: string) => Promise<Buffer> {
  const files = new Map<string, Promise<Buffer>>();
  return (name) => {
    const file = files.get(name) ?? readFile(join(folder, name));
    files.set(name, file);
    file.catch(() => files.delete(name));
    return file;
  };
}

/** Chooses the compressed file that the client accepts. @returns its suffix; empty for the file itself */
function compression(build: AppBuild, name: string, request: FastifyRequest, reply: FastifyReply): string {
  const encoding = acceptedEncoding(request.headers["accept-encoding"], ["br", "gzip"]);
  if (!encoding || !build.assets.has(name + SUFFIX[encoding])) return "";
  vary(reply, "Accept-Encoding");
  reply.header("content-encoding", encoding);
  return SUFFIX[encoding];
}
