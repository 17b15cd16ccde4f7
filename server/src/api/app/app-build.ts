import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The output of `admin/tools/build.ts`. */
export interface AppBuild {
  /** The page of every address of the app by language, with {@link NONCE} as the placeholder of the nonce. */
  pages: ReadonlyMap<string, string>;
  /** The app's addresses in the notation of its router: `/devices/$id`. */
  routes: readonly string[];
  /** The names of the files under `assets`, including compressed ones. */
  assets: ReadonlySet<string>;
  folder: string;
}

export const NONCE = "{{nonce}}";

/** The language of a page for a browser that asks for none of the others. */
export const DEFAULT_LANGUAGE = "en";

/** Reads the build in `folder`; returns `undefined` if there is none. */
export function readAppBuild(folder: string): AppBuild | undefined {
  try {
    return {
      pages: readPages(folder),
      routes: JSON.parse(readFileSync(join(folder, "routes.json"), "utf8")) as string[],
      assets: new Set(readdirSync(join(folder, "assets"))),
      folder: join(folder, "assets"),
    };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Reads `index.html`, which is English, and its translations `index.de.html`. */
function readPages(folder: string): Map<string, string> {
  const pages = new Map([[DEFAULT_LANGUAGE, readFileSync(join(folder, "index.html"), "utf8")]]);
  for (const name of readdirSync(folder)) {
    const language = /^index\.([a-z]{2})\.html$/.exec(name)?.[1];
    if (language) pages.set(language, readFileSync(join(folder, name), "utf8"));
  }
  return pages;
}
