import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { routes } from "../routes.ts";
import { devicePage } from "./device-page.ts";
import { describe } from "./document.ts";
import { errorPageOf, errorsPage } from "./error-pages.ts";
import { frontPage, missingPage } from "./front-page.ts";
import { GUIDE } from "./guide.ts";
import { layout, type Page, type Site } from "./layout.ts";
import { DEVICE_PAGE, ERROR_CODES, ERRORS_PAGE, errorPage, operationPage, ROOT } from "./links.ts";
import { operationPageOf } from "./operation-page.ts";

/** Something to send: content with its type, and an entity tag that changes with it, in quotes. */
export interface File {
  type: string;
  content: string;
  tag: string;
}

/** The API reference and the documents it is made of, by address; `undefined` where there is nothing. */
export interface Reference {
  readonly paths: readonly string[];
  file(path: string): File | undefined;
  /** For people who have followed a link to nowhere. */
  missing(): File;
}

const HTML = "text/html; charset=utf-8";
const JSON_TYPE = "application/json; charset=utf-8";

/**
 * Nothing is read or rendered before it is asked for, and then once: a start costs nothing, and the addresses are known by
 * then. `addresses` are what clients are told.
 */
export function createReference(addresses: Pick<Site, "baseUrl" | "brokerUrl">): Reference {
  const documents: Partial<Pick<Site, "public" | "device">> = {};
  const site: Site = {
    get baseUrl() {
      return addresses.baseUrl;
    },
    get brokerUrl() {
      return addresses.brokerUrl;
    },
    get public() {
      documents.public ??= describe("public");
      return documents.public;
    },
    get device() {
      documents.device ??= describe("device");
      return documents.device;
    },
  };
  const makers = makersOf(site);
  const made = new Map<string, File>();
  return {
    paths: [...makers.keys()],
    file(path) {
      const maker = makers.get(path);
      if (!maker) return undefined;
      const file = made.get(path) ?? tagged(maker());
      made.set(path, file);
      return file;
    },
    missing: () => tagged({ type: HTML, content: render(missingPage()) }),
  };
}

type Maker = () => Omit<File, "tag">;

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
    ...routes.map((route) => page(operationPage(route), () => operationPageOf(route, site))),
    ...ERROR_CODES.map((code) => page(errorPage(code), () => errorPageOf(code))),
    beside("style.css", "text/css; charset=utf-8"),
    beside("reference.js", "text/javascript; charset=utf-8"),
    beside("icon.svg", "image/svg+xml"),
    ["/openapi/public.json", () => ({ type: JSON_TYPE, content: site.public.text })],
    ["/openapi/device.json", () => ({ type: JSON_TYPE, content: site.device.text })],
  ]);
}

function render(page: Page): string {
  return String(layout(page, GUIDE));
}

function tagged({ type, content }: Omit<File, "tag">): File {
  return { type, content, tag: `"${createHash("sha256").update(content).digest("base64url").slice(0, 22)}"` };
}
