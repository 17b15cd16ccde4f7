import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";
import { https } from "../harness/http/https.ts";
import { startServer, type TestServer } from "../harness/server.ts";

const SCRIPT = `console.log(${JSON.stringify("x".repeat(2000))});`;
const folder = mkdtempSync(join(tmpdir(), "muster-app-"));
let server: TestServer;

/** A build like that of `npm run build`, with two screens and a script. */
before(async () => {
  mkdirSync(join(folder, "assets"));
  writeFileSync(join(folder, "index.html"), '<meta property="csp-nonce" nonce="{{nonce}}"><div id="app"></div>');
  writeFileSync(join(folder, "index.de.html"), '<html lang="de"><div id="app"></div>');
  writeFileSync(join(folder, "routes.json"), JSON.stringify(["/", "/devices", "/devices/$id"]));
  writeFileSync(join(folder, "assets/index-1.js"), SCRIPT);
  writeFileSync(join(folder, "assets/index-1.js.br"), brotliCompressSync(SCRIPT));
  writeFileSync(join(folder, "assets/index-1.js.gz"), gzipSync(SCRIPT));
  writeFileSync(join(folder, "secret.txt"), "not an asset");
  server = await startServer({ env: { MUSTER_APP_DIR: folder } });
});
after(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true });
});

function get(path: string, headers: Record<string, string> = {}) {
  return https(server.httpUrl + path, { ca: server.ca, headers });
}

test("every address of the app answers with the app, which is not cached", async () => {
  for (const path of ["/", "/devices", "/devices?q=pump", "/devices/pump-1"]) {
    const { status, headers, text } = await get(path);
    assert.equal(status, 200, path);
    assert.match(text, /<div id="app">/);
    assert.equal(headers["cache-control"], "no-store");
    assert.equal(headers["content-type"], "text/html; charset=utf-8");
    assert.equal(headers["cross-origin-opener-policy"], "same-origin");
    assert.equal(headers["strict-transport-security"], undefined, "browsers would lock out a development certificate");
  }
  const posted = await https(`${server.httpUrl}/devices`, { ca: server.ca, body: {} });
  assert.deepEqual([posted.status, posted.headers.allow], [405, "GET, HEAD"]);
});

test("a page is in the language of its user, else in the one that the browser asks for, else in English", async () => {
  const isGerman = async (headers: Record<string, string>) => (await get("/", headers)).text.includes('lang="de"');
  for (const accepted of ["de", "de-AT,de;q=0.9,en;q=0.8", "fr, en;q=0.1, DE;q=0.5"])
    assert.equal(await isGerman({ "accept-language": accepted }), true, accepted);
  for (const accepted of ["", "en-GB, de;q=0.9", "fr", "de;q=0", "*", ";;q=x,,"])
    assert.equal(await isGerman({ "accept-language": accepted }), false, accepted);
  assert.equal(await isGerman({ "accept-language": "en", cookie: "a=b; muster-language=de" }), true);
  for (const cookie of ["muster-language=en", "muster-language=xx; b=c", "other-muster-language=de"])
    assert.equal(await isGerman({ cookie }), false, cookie);
});

test("an address without a screen is not found", async () => {
  for (const path of ["/nothing", "/devices/pump-1/nothing"]) {
    const { status, json } = await get(path);
    assert.deepEqual([status, json.error, json.middleware], [404, "not_found", "router"], path);
  }
});

test("at such an address a browser gets the app's own message, and at those of the APIs their error", async () => {
  const accept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
  for (const path of ["/nothing", "/devices/pump-1/nothing"]) {
    const { status, headers, text } = await get(path, { accept });
    assert.deepEqual([status, headers["cache-control"]], [404, "no-store"], path);
    assert.match(text, /<div id="app">/);
    assert.match(String(headers["content-security-policy"]), /'nonce-/);
  }
  for (const path of ["/api/v1/nothing", "/api/admin/nothing", "/docs/nothing", "/openapi/nothing", "/assets/nothing"])
    assert.equal((await get(path, { accept })).json.error, "not_found", path);
  const posted = await https(`${server.httpUrl}/nothing`, { ca: server.ca, headers: { accept }, body: {} });
  assert.deepEqual([posted.status, posted.json.error], [404, "not_found"]);
});

test("the page's policy allows this service, and style elements with a nonce that is new in each answer", async () => {
  const pages = await Promise.all([get("/"), get("/")]);
  const nonces = pages.map(({ headers, text }) => {
    const [, nonce = ""] = /nonce="([^"]+)"/.exec(text) ?? [];
    assert.equal(
      headers["content-security-policy"],
      `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
    return nonce;
  });
  assert.notEqual(nonces[0], nonces[1]);
  for (const nonce of nonces) assert.equal(Buffer.from(nonce, "base64").length, 16);
});

test("files of the app are cached, and are sent as they were compressed", async () => {
  const brotli = await get("/assets/index-1.js", { "accept-encoding": "gzip, deflate, br, zstd" });
  assert.deepEqual([brotli.status, brotli.headers["content-encoding"]], [200, "br"]);
  assert.equal(brotliDecompressSync(brotli.bytes).toString(), SCRIPT);
  assert.equal(brotli.headers["cache-control"], "public, max-age=31536000, immutable");
  assert.equal(brotli.headers["content-type"], "text/javascript; charset=utf-8");
  assert.match(String(brotli.headers.vary), /accept-encoding/i);
  const gzip = await get("/assets/index-1.js", { "accept-encoding": "gzip" });
  assert.equal(gzip.headers["content-encoding"], "gzip");
  assert.equal(gunzipSync(gzip.bytes).toString(), SCRIPT);
  assert.equal((await get("/assets/index-1.js")).text, SCRIPT);
});

test("the app receives the broker's address, and the authority of a development certificate", async () => {
  const { status, headers, json } = await get("/app-settings.json");
  assert.deepEqual([status, headers["cache-control"]], [200, "no-store"]);
  assert.deepEqual(json, { baseUrl: server.app.baseUrl, brokerUrl: server.app.brokerUrl, httpsCa: server.ca });
});

test("only files of the build are assets", async () => {
  for (const name of ["nothing.js", "..%2Fsecret.txt", "..%2findex.html", "index-1.js.br", "", "%00.js"]) {
    const { status, headers } = await get(`/assets/${name}`);
    assert.deepEqual([status, headers["cache-control"]], [404, undefined], name);
  }
});

test("a service without a build reports it at its front page and in its log, and serves everything else", async () => {
  const bare = await startServer({ env: { MUSTER_APP_DIR: join(folder, "missing") } });
  try {
    const page = await https(bare.httpUrl, { ca: bare.ca });
    assert.equal(page.status, 200);
    assert.match(page.text, /The admin app is not built/);
    assert.match(page.text, /npm run build/);
    assert.equal(page.headers["cache-control"], "no-store");
    assert.ok(bare.logs.some((line) => line.includes("the admin app is not built")));
    assert.equal((await https(`${bare.httpUrl}/docs/api`, { ca: bare.ca })).status, 200);
    assert.equal((await https(`${bare.httpUrl}/devices`, { ca: bare.ca })).status, 404);
  } finally {
    await bare.stop();
  }
});
