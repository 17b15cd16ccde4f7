import { chmod, chown, mkdir, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dirname, "../../../..");
/** The user `node` of the image. */
const USER = "1000";

/** Whether confinement is possible: only root may create a mount namespace with read-only mounts. */
export const canConfine = process.platform === "linux" && process.getuid?.() === 0;

/** `exec` replaces the shell, so that a signal reaches the program itself. */
const SCRIPT = `set -e
code=$1 data=$2; shift 2
mount --bind ${root} "$code"
mount --bind "$data" "$data"
mount -o remount,ro,bind "$code"
mount -o remount,ro,bind /
exec setpriv --reuid ${USER} --regid ${USER} --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all -- "$@"`;

/** An environment in which a program runs as in the containers of compose.yaml. */
export interface Confinement {
  /** The caller removes it. */
  readonly folder: string;
  /** The only folder that the program can write to. */
  readonly dataDir: string;
  /** Returns the command line for `spawn` that runs Node with `args`. Paths inside this repository are translated. */
  command(...args: string[]): [string, string[]];
}

/**
 * Creates an environment with a read-only root file system, no capabilities, no new privileges and its own user.
 * Requires {@link canConfine}.
 */
export async function confine(): Promise<Confinement> {
  const folder = await mkdtemp(join(tmpdir(), "muster-confined-"));
  const [code, dataDir] = [join(folder, "code"), join(folder, "data")];
  await mkdir(code);
  await mkdir(dataDir, { mode: 0o700 });
  await chmod(folder, 0o755);
  await chown(dataDir, Number(USER), Number(USER));
  const inside = (path: string) => (path.startsWith(`${root}/`) ? join(code, path.slice(root.length)) : path);
  return {
    folder,
    dataDir,
    command(...args) {
      const node = [process.execPath, ...args].map(inside);
      return ["unshare", ["--mount", "--propagation", "private", "sh", "-c", SCRIPT, "sh", code, dataDir, ...node]];
    },
  };
}
