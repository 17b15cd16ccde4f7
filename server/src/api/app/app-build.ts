import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** What `admin/tools/build.ts` has written. */
export interface AppBuild {
  /** The page of every address of the app, with {@link NONCE} where the nonce belongs. */
  html: string;
  /** The app's addresses as its router writes them: `/devices/$id`. */
  routes: readonly string[];
  /** The names of the files under `assets`, compressed ones included. */
  assets: ReadonlySet<string>;
  folder: string;
}

export const NONCE = "{{nonce}}";

/** The build in `folder`; `undefined` where there is none. */
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
