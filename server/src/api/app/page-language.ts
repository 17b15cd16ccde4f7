import type { IncomingHttpHeaders } from "node:http";
import { DEFAULT_LANGUAGE } from "./app-build.ts";

/** The cookie in which the app keeps the language of the signed-in user. */
const COOKIE = /(?:^|;\s*)muster-language=([a-z]{2})\s*(?:;|$)/;

/**
 * Returns the language of the page for a request: that of the user who last signed in with this browser, else the first
 * that the browser accepts (RFC 9110 12.5.4), else English.
 * @param available the languages of the build
 */
export function pageLanguage(headers: IncomingHttpHeaders, available: ReadonlySet<string>): string {
  const wanted = [COOKIE.exec(headers.cookie ?? "")?.[1], ...accepted(headers["accept-language"])];
  return wanted.find((language) => language !== undefined && available.has(language)) ?? DEFAULT_LANGUAGE;
}

/** Returns the languages of `Accept-Language` by weight, without their regions: `de-AT` is `de`. */
function accepted(header = ""): string[] {
  return header
    .split(",")
    .map((entry) => {
      const [tag = "", ...parameters] = entry.split(";").map((part) => part.trim().toLowerCase());
      const weight = Number(parameters.find((each) => each.startsWith("q="))?.slice(2) ?? 1);
      return { language: tag.split("-")[0]!, weight };
    })
    .filter(({ weight }) => weight > 0)
    .toSorted((one, other) => other.weight - one.weight)
    .map(({ language }) => language);
}
