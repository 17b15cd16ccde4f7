import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type Fence, fencesOf } from "../../../tools/documents/markdown.ts";
import { filesIn } from "../../../tools/source/files.ts";
import { newTenant } from "../harness/devices.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { readersShell, runInShell } from "./reader.ts";

/**
 * Runs the shell blocks of pages that are no quickstart, word for word. `docs/unrun-commands.tsv` lists the blocks that
 * no test can run, with the reason; a block that is in neither fails.
 */
const ROOT = join(import.meta.dirname, "../../..");
const read = (file: string) => readFileSync(join(ROOT, file), "utf8");

interface Block extends Fence {
  page: string;
  /** The output that the page shows below the block. */
  shown: string | undefined;
}

/** Returns the shell blocks of a page. */
function blocksOf(page: string): Block[] {
  const fences = fencesOf(read(page));
  return fences.flatMap((fence, index) => {
    const next = fences[index + 1];
    const shown = next?.info === "text" && next.line <= fence.line + fence.body.split("\n").length + 2;
    return fence.info.split(" ")[0] === "sh" ? [{ ...fence, page, shown: shown ? next.body : undefined }] : [];
  });
}

const pages = filesIn(ROOT, "*.md", "{docs,agent,bench,attack,simulate}/**/*.md");
const blocks = pages.flatMap(blocksOf);

/** The pages whose blocks other tests run: those of quickstarts, and the one in a browser. */
const FOLLOWED: Readonly<Record<string, string>> = {
  "docs/quickstarts/first-device.md": "server/test/browser/first-device.test.ts",
  ...Object.fromEntries(
    [
      "agent",
      "api",
      "by-hand",
      "by-program",
      "grafana",
      "monitoring",
      "mosquitto",
      "mqtt-js",
      "paho-python",
      "setup",
      "webhooks",
    ].map((name) => [`docs/quickstarts/${name}.md`, "server/test/documents/quickstarts.test.ts"]),
  ),
};
/** Blocks of these kinds set what the reader knows, such as ports; the following test gives them its own values. */
const GIVEN = /^sh (settings|service|commands)$/;
/** The pages whose blocks this file runs. */
const RUN = ["docs/scaling.md", "docs/ingest-stream.md", "docs/operations/secrets.md", "docs/proxies.md"];

const unrun = read("docs/unrun-commands.tsv")
  .trimEnd()
  .split("\n")
  .slice(1)
  .map((line) => line.split("\t") as [page: string, block: string, why: string, covered: string]);

function isUnrun({ page, body }: Block): boolean {
  return unrun.some(([listed, start]) => listed === page && (start === "*" || body.startsWith(start)));
}

test("every shell block of a page is run by a test, or listed with the reason why it is not", () => {
  const isRun = ({ page, info }: Block) =>
    RUN.includes(page) || (page in FOLLOWED && (info === "sh" || GIVEN.test(info)));
  const neither = blocks.filter((block) => !isRun(block) && !isUnrun(block));
  assert.deepEqual(
    neither.map(({ page, line, body }) => `${page}:${line} ${body.split("\n")[0]}`),
    [],
  );
  for (const [page, start, why, covered] of unrun) {
    assert.ok(
      blocks.some((block) => block.page === page && isUnrun(block) && (start === "*" || block.body.startsWith(start))),
      `${page} has no block that begins with ${start}`,
    );
    assert.ok(why.length > 8 && covered.length > 8, page);
  }
  for (const [page, file] of Object.entries(FOLLOWED))
    assert.ok(existsSync(join(ROOT, file)) && read(file).includes(page.split("/").at(-1)!), `${file} reads ${page}`);
});

test("every block with a command of a shell says that it is one", () => {
  const unmarked = pages.flatMap((page) =>
    fencesOf(read(page))
      .filter(({ info, body }) => info === "" && /^(npx|npm|curl|openssl|docker|helm|kubectl|sudo|muster) /m.test(body))
      .map(({ line }) => `${page}:${line}`),
  );
  assert.deepEqual(unmarked, []);
});

let server: TestServer;
let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "muster-documents-"));
  server = await startServer();
});
after(async () => {
  await server.stop();
  await rm(folder, { recursive: true });
});

/** Runs blocks in one shell after `given`, and compares what they print with the page, where it shows that. */
async function runBlocks(blocksToRun: Block[], given: string[] = []): Promise<string> {
  assert.ok(blocksToRun.length > 0);
  const commands = blocksToRun.map(({ body }) => body);
  const printed = await runInShell([...readersShell(server, folder), ...given, "set -e", ...commands], folder);
  const shown = blocksToRun.flatMap(({ shown }) => shown ?? []).join("");
  if (shown !== "") assert.equal(printed, shown);
  return printed;
}

const onPage = (page: string) => blocks.filter((block) => block.page === page);

test("the configuration of NATS is printed as scaling.md and ingest-stream.md show", async () => {
  const nats = onPage("docs/scaling.md").filter(({ body }) => body.includes("nats config"));
  assert.equal(nats.length, onPage("docs/scaling.md").length);
  await runBlocks(nats);
  assert.match(await readFile(join(folder, "nats.conf"), "utf8"), /nkey: "U[A-Z2-7]{55}"/);
  await runBlocks(onPage("docs/ingest-stream.md"));
  assert.match(await readFile(join(folder, "nats.conf"), "utf8"), /max_file: 5368709120[\s\S]*sync_interval: always/);
});

test("a key is blocked by the digest that the commands of secrets.md find", async () => {
  const tenant = await newTenant(server, "digests");
  const { id } = await server.app.devices.createDevice(tenant.caller, { id: "lost", name: "Lost" });
  const bundle = await server.app.enrollment.issueBundle(tenant.caller, { deviceId: id });
  await writeFile(join(folder, "key.pem"), bundle.privateKeyPem);
  await writeFile(join(folder, "cert.pem"), bundle.clientCertPem);
  const printed = await runBlocks(onPage("docs/operations/secrets.md"));
  assert.match(printed, /blocked/i);
  const { items } = await server.app.certificates.listCertificates(tenant.caller, { deviceId: id, skip: 0, limit: 50 });
  assert.deepEqual(
    items.map(({ status }) => status),
    ["revoked"],
  );
});

test("a copied certificate in a header is refused as proxies.md shows", async () => {
  const tenant = await newTenant(server, "headers");
  await server.app.devices.createDevice(tenant.caller, { id: "seen", name: "Seen" });
  const bundle = await server.app.enrollment.issueBundle(tenant.caller, { deviceId: "seen" });
  await writeFile(join(folder, "any-device.pem"), bundle.clientCertPem);
  const port = new URL(server.httpUrl).port;
  await runBlocks(onPage("docs/proxies.md"), [
    `curl() { command curl --insecure --connect-to muster.example:443:localhost:${port} "$@"; }`,
  ]);
});

test("tenant, admin, device type, key and claim code are made as the set-up shows", async () => {
  const [setUp, claim] = onPage("docs/quickstarts/setup.md").filter(({ body }) => body.startsWith("npx muster"));
  const printed = await runBlocks([setUp!]);
  const [type] = /(?<=\()[0-9a-f-]{36}(?=\))/.exec(printed.split("\n").find((line) => /device type/i.test(line))!)!;
  assert.match(printed, /mstr_\w+/);
  assert.match(await runBlocks([{ ...claim!, body: claim!.body.replace("…", type) }]), /CLAIM-[0-9A-Z-]{14}/);
});
