/**
 * Builds the admin app into `admin/dist`, from where the service serves it: `npm run build`. npm's `prepare` runs it
 * with `--if-possible`, after which an installation without Vite, or on a platform where Vite does not run, has no app.
 */
import { cpSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { appRoutes } from "../src/routes.ts";
import { compressFolder } from "./compress.ts";
import { firstLoad, MOST_FIRST_LOAD_BYTES } from "./first-load.ts";
import { generateBounds } from "./generate-types.ts";

const admin = dirname(import.meta.dirname);
const dist = join(admin, "dist");
const fresh = join(admin, "dist.new");
/** The folder of the build in another language, whose files join those of English. */
const translated = join(fresh, "translated");
/** Build errors repeat the lines of their sources. */
const MOST_REASON = 600;
/** The languages other than English. */
const OTHER_LANGUAGES = ["de"];
const optional = process.argv.includes("--if-possible");

try {
  await build();
} catch (error) {
  const { code, message } = error as NodeJS.ErrnoException;
  const reason = code === "ERR_MODULE_NOT_FOUND" ? "Vite is not installed" : message.trim().slice(0, MOST_REASON);
  console.error(`The admin app was not built: ${reason}. The service runs without it; npm run build tries again.`);
  if (!optional) process.exitCode = 1;
}

async function build(): Promise<void> {
  const started = performance.now();
  generateBounds();
  await buildLanguage("en", fresh);
  await compressFolder(join(fresh, "assets"));
  const loads = [firstLoad(fresh)];
  for (const language of OTHER_LANGUAGES) {
    await buildLanguage(language, translated);
    await compressFolder(join(translated, "assets"));
    loads.push(firstLoad(translated));
    addTranslation(language);
  }
  writeFileSync(join(fresh, "routes.json"), JSON.stringify(appRoutes.map(({ path }) => path)));
  const { bytes, page } = loads.reduce((most, load) => (load.bytes > most.bytes ? load : most));
  // A running service never sees a partial build.
  rmSync(dist, { recursive: true, force: true });
  renameSync(fresh, dist);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const size = `${(bytes / 1000).toFixed(0)} kB compressed`;
  console.log(`The admin app was built in ${seconds} s; its first load is ${size} at most (${page}).`);
  if (bytes > MOST_FIRST_LOAD_BYTES) {
    throw new Error(`the first load of ${page} is ${size}, more than ${MOST_FIRST_LOAD_BYTES / 1000} kB`);
  }
}

/** Builds the app in one language; the mode of Vite names it. */
async function buildLanguage(mode: string, outDir: string): Promise<void> {
  const vite = await import("vite");
  await vite.build({
    mode,
    configFile: join(admin, "vite.config.ts"),
    configLoader: "native",
    // The warnings concern directives of libraries for server rendering.
    logLevel: "error",
    build: { outDir },
  });
}

/** Adds the files of the translated build; those of libraries are the same, and have the same names. */
function addTranslation(language: string): void {
  cpSync(join(translated, "assets"), join(fresh, "assets"), { recursive: true });
  renameSync(join(translated, "index.html"), join(fresh, `index.${language}.html`));
  rmSync(translated, { recursive: true });
}
