import { promisify } from "node:util";
import { brotliCompress, constants, gzip, zstdCompress } from "node:zlib";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { vary } from "./vary.ts";

const zstd = promisify(zstdCompress);
const brotli = promisify(brotliCompress);
const deflate = promisify(gzip);

type Encoding = "zstd" | "br" | "gzip";

/** For smaller answers the additional headers cost as much as compression saves. */
const LEAST_BYTES = 1024;
const TEXT = /^(text\/|image\/svg|application\/(json|javascript|problem\+json|yaml))/;

/**
 * The encoders in order of preference, each at its fastest level and off the event loop: a page of 200 devices (116 kB)
 * becomes 22 to 26 kB within a millisecond. The best levels would make it 7 % smaller for ten times the work.
 */
const ENCODERS: Record<Encoding, (bytes: Buffer) => Promise<Buffer>> = {
  zstd: (bytes) => zstd(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 1 } }),
  br: (bytes) => brotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
  gzip: (bytes) => deflate(bytes, { level: 1 }),
};

const ENCODINGS = Object.keys(ENCODERS) as Encoding[];

/**
 * Compresses answers of 1 KiB and more for clients that request it (RFC 9110 12.5.3). Two kinds stay uncompressed:
 * answers with a one-time secret, whose compressed length would leak information about it (BREACH), and answers with a
 * strong `ETag`, which identifies exact bytes.
 */
export function installCompression(app: FastifyInstance): void {
  app.addHook("onSend", (request, reply, payload, done) => {
    const bytes = compressible(request, reply, payload);
    if (!bytes) return done(null, payload);
    vary(reply, "Accept-Encoding");
    const encoding = acceptedEncoding(request.headers["accept-encoding"], ENCODINGS);
    if (!encoding) return done(null, payload);
    reply.header("content-encoding", encoding).removeHeader("content-length");
    const compress = request.routeOptions.config?.isStatic ? compressOnce : compressNow;
    compress(bytes, encoding).then((compressed) => done(null, compressed), done);
  });
}

const compressNow = (bytes: Buffer, encoding: Encoding) => ENCODERS[encoding](bytes);

const compressed = new WeakMap<Buffer, Map<Encoding, Promise<Buffer>>>();

/**
 * Caches the compressed form of static content, so that clients without credentials cannot make the service compress at
 * each request.
 */
function compressOnce(bytes: Buffer, encoding: Encoding): Promise<Buffer> {
  const variants = compressed.get(bytes) ?? new Map<Encoding, Promise<Buffer>>();
  compressed.set(bytes, variants);
  const variant = variants.get(encoding) ?? compressNow(bytes, encoding);
  variants.set(encoding, variant);
  return variant;
}

function compressible(request: FastifyRequest, reply: FastifyReply, payload: unknown): Buffer | undefined {
  if (request.routeOptions.config?.secret || reply.hasHeader("content-encoding")) return undefined;
  if (!(typeof payload === "string" || Buffer.isBuffer(payload)) || payload.length < LEAST_BYTES) return undefined;
  if (!TEXT.test(String(reply.getHeader("content-type")))) return undefined;
  const tag = reply.getHeader("etag");
  if (tag !== undefined && !String(tag).startsWith("W/")) return undefined;
  return Buffer.isBuffer(payload) ? payload : Buffer.from(payload);
}

/**
 * Returns the encoding of `among` to use for `Accept-Encoding`: the one with the highest weight, the first among
 * equals; `undefined` for none.
 */
export function acceptedEncoding<E extends Encoding>(header: string | undefined, among: readonly E[]): E | undefined {
  if (!header) return undefined;
  const weights = new Map(header.toLowerCase().split(",").map(weighted));
  let best: E | undefined;
  let most = 0;
  for (const encoding of among) {
    const weight = weights.get(encoding) ?? weights.get("*") ?? 0;
    if (weight > most) [best, most] = [encoding, weight];
  }
  return best !== undefined && most >= (weights.get("identity") ?? 0) ? best : undefined;
}

/** Parses `gzip;q=0.5`. A malformed weight counts as 0, so that no client gets an encoding that it may not accept. */
function weighted(entry: string): [encoding: string, weight: number] {
  const [name = "", ...parameters] = entry.split(";").map((part) => part.trim());
  const q = parameters.find((parameter) => parameter.startsWith("q="));
  if (q === undefined) return [name, 1];
  return [name, /^q=(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(q) ? Number(q.slice(2)) : 0];
}
