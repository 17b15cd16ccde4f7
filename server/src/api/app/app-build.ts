import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The output of `admin/tools/build.ts`. */
export interface AppBuild {
  /** The page of every address of the app, with {@link NONCE} as the placeholder of the nonce. */
  html: string;
  /** The app's addresses in the notation of its router: `/devices/$id`. */
  routes: readonly string[];
  /** The names of the files under `assets`, including compressed ones. */
  assets: ReadonlySet<string>;
  folder: string;
}

export const NONCE = "{{nonce}}";

/** Reads the build in `folder`; returns `undefined` if there is none. */
export function readAppBuild(folder: string): AppBuild | undefined {
  try {
    return {
      html: readFileSync(join(folder, "index.html"), "utf8"),
      routes: JSON.parse(readFileSync(join(folder, "routes.json"), "utf8")) as string[],
      assets: new Set(readdirSync(join(folder, "assets"))),
      folder: join(folder, "assets"),
    };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
