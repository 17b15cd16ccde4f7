import { SCOPES } from "../../access/access.ts";
import { type ErrorCode, PROBLEMS } from "../problem.ts";
import type { ReferenceRoute } from "../route.ts";
import { routes } from "../routes.ts";
import type { Links } from "./prose.ts";

/** The front page of the reference; its other pages are below it. */
export const ROOT = "/docs/api";
export const DEVICE_PAGE = `${ROOT}/device-endpoints`;
export const ERRORS_PAGE = `${ROOT}/errors`;

export function operationPage({ operationId }: Pick<ReferenceRoute, "operationId">): string {
  return `${ROOT}/operations/${operationId}`;
}

export function resourcePage(tag: string): string {
  return `${ROOT}/resources/${tag.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")}`;
}

export function errorPage(code: ErrorCode): string {
  return `${ERRORS_PAGE}/${code}`;
}

/** Every error code, in the order of the reference: by status, then by name. */
export const ERROR_CODES = (Object.keys(PROBLEMS) as ErrorCode[]).sort(
  (one, other) => PROBLEMS[one].status - PROBLEMS[other].status || one.localeCompare(other),
);

const TARGETS: ReadonlyMap<string, string> = new Map([
  ...ERROR_CODES.flatMap((code): [string, string][] => [
    [code, errorPage(code)],
    [`${PROBLEMS[code].status} ${code}`, errorPage(code)],
  ]),
  ...SCOPES.map((scope): [string, string] => [scope, `${ROOT}#scopes`]),
  ...routes.flatMap((route): [string, string][] => [
    [`${route.method} ${route.path}`, operationPage(route)],
    [`${route.method} ${route.path.replace("/api/v1", "")}`, operationPage(route)],
  ]),
  ["Idempotency-Key", `${ROOT}#idempotency`],
  ["If-Match", `${ROOT}#concurrency`],
  ["ETag", `${ROOT}#concurrency`],
  ["RateLimit", `${ROOT}#rate-limits`],
  ["X-API-Key", `${ROOT}#authentication`],
]);

/**
 * Returns the page to which code in a text links: of an operation such as `GET /devices`, an error code, a scope, or a
 * header with a section.
 */
export const links: Links = (code) => TARGETS.get(code);
