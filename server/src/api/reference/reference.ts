import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { plantSchema } from "../../plant/plant.ts";
import { routes } from "../routes.ts";
import { devicePage } from "./device-page.ts";
import { describe } from "./document.ts";
import { errorPageOf, errorsPage } from "./error-pages.ts";
import { frontPage, missingPage } from "./front-page.ts";
import { GUIDE } from "./guide.ts";
import { byTag, layout, type Page, type Site } from "./layout.ts";
import { DEVICE_PAGE, ERROR_CODES, ERRORS_PAGE, errorPage, operationPage, ROOT, resourcePage } from "./links.ts";
import { operationPageOf } from "./operation-page.ts";
import { resourcePageOf } from "./resource-page.ts";

/** Content with its type and its entity tag, in quotes. */
export interface File {
  type: string;
  content: string;
  /** The content as sent, the same Buffer every time. */
  bytes: Buffer;
  tag: string;
}

/**
 * The files of the API reference and the OpenAPI documents, by address; `undefined` for an address that does not exist.
 */
export interface Reference {
  readonly paths: readonly string[];
  file(path: string): File | undefined;
  /** Returns the page for an address that does not exist. */
  missing(): File;
}

const HTML = "text/html; charset=utf-8";
const JSON_TYPE = "application/json; charset=utf-8";

/**
 * Creates the reference at its first request, so that it does not slow startup, and the ports in `addresses` are known
 * by then. Each file is read or rendered once, when it is first requested.
 */
export async function createReference({ baseUrl, brokerUrl }: Pick<Site, "baseUrl" | "brokerUrl">): Promise<Reference> {
  const site: Site = {
    baseUrl,
    brokerUrl,
    public: await describe("public", baseUrl),
    device: await describe("device", baseUrl),
  };
  const makers = makersOf(site);
  const made = new Map<string, File>();
  let missing: File | undefined;
  return {
    paths: [...makers.keys()],
    file(path) {
      const maker = makers.get(path);
      if (!maker) return undefined;
      const file = made.get(path) ?? tagged(maker());
      made.set(path, file);
      return file;
    },
    missing() {
      missing ??= tagged({ type: HTML, content: render(missingPage()) });
      return missing;
    },
  };
}

type Maker = () => Pick<File, "type" | "content">;

function makersOf(site: Site): Map<string, Maker> {
  const page = (path: string, make: () => Page): [string, Maker] => [
    path,
    () => ({ type: HTML, content: render(make()) }),
  ];
  const beside = (name: string, type: string): [string, Maker] => [
    `${ROOT}/${name}`,
    () => ({ type, content: readFileSync(join(import.meta.dirname, name), "utf8") }),
  ];
  return new Map([
    page(ROOT, () => frontPage(site)),
    page(DEVICE_PAGE, () => devicePage(site)),
    page(ERRORS_PAGE, () => errorsPage()),
    ...byTag("public").map(([tag, ofTag]) => page(resourcePage(tag), () => resourcePageOf(tag, ofTag, site))),
    ...routes.map((route) => page(operationPage(route), () => operationPageOf(route, site))),
    ...ERROR_CODES.map((code) => page(errorPage(code), () => errorPageOf(code))),
    beside("style.css", "text/css; charset=utf-8"),
    beside("script.js", "text/javascript; charset=utf-8"),
    beside("icon.svg", "image/svg+xml"),
    ["/openapi/plant.schema.json", () => ({ type: JSON_TYPE, content: JSON.stringify(plantSchema()) })],
    ["/openapi/public.json", () => ({ type: JSON_TYPE, content: site.public.text })],
    ["/openapi/device.json", () => ({ type: JSON_TYPE, content: site.device.text })],
  ]);
}

function render(page: Page): string {
  return String(layout(page, GUIDE));
}

function tagged({ type, content }: Pick<File, "type" | "content">): File {
  const bytes = Buffer.from(content);
  return { type, content, bytes, tag: `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"` };
}
