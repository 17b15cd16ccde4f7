import { chmod, mkdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { z } from "zod";

const profile = z.strictObject({
  server: z.string(),
  apiKey: z.string(),
  /** PEM certificates to trust besides the system's. */
  ca: z.string().optional(),
});
const file = z.strictObject({ profiles: z.record(z.string(), profile) });

/** A service and the credential for it, as `muster login` stores them. */
export type Profile = z.infer<typeof profile>;

const GROUP_OR_OTHERS = 0o077;

/** Returns the file of profiles: `muster/config.json` in the user's folder of settings. */
export function profilesFile(env: NodeJS.ProcessEnv = process.env): string {
  return join(env.XDG_CONFIG_HOME || join(homedir(), ".config"), "muster/config.json");
}

/** Returns a profile. @throws Error if there is none, or if others may read the file */
export async function loadProfile(name: string, path = profilesFile()): Promise<Profile> {
  const found = (await loadProfiles(path)).profiles[name];
  if (!found) throw new Error(`there is no profile ${name} in ${path}: muster login --profile ${name} makes it`);
  return found;
}

/** Stores a profile. The file is replaced whole, and is never readable by others. */
export async function storeProfile(name: string, stored: Profile, path = profilesFile()): Promise<void> {
  const before = await loadProfiles(path);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const whole = { profiles: { ...before.profiles, [name]: stored } };
  const temporary = `${path}.${process.pid}`;
  await writeFile(temporary, `${JSON.stringify(whole, null, 2)}\n`, { mode: 0o600 });
  await chmod(temporary, 0o600);
  await rename(temporary, path);
}

async function loadProfiles(path: string): Promise<z.infer<typeof file>> {
  const mode = await stat(path).then(
    (found) => found.mode,
    () => undefined,
  );
  if (mode === undefined) return { profiles: {} };
  if ((mode & GROUP_OR_OTHERS) !== 0) throw new Error(`${path} contains API keys and others may read it: chmod 600 it`);
  try {
    return file.parse(JSON.parse(await readFile(path, "utf8")));
  } catch {
    throw new Error(`${path} is not a file of profiles: remove it, and run muster login again`);
  }
}
