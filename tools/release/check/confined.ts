/** Programs in a root file system of their own, in a mount namespace that ends with them, as a container runs them. */

export interface Confinement {
  /** The root file system. */
  rootFolder: string;
  /** The numbers or names of user and group. */
  user: string;
  /** Whether only `writable` and `/tmp` can be written. */
  readOnly: boolean;
  /** Folders of this machine by their place in the root file system. */
  writable?: Readonly<Record<string, string>>;
}

/**
 * Returns the words before a command line that runs it confined. The process keeps its id, so a signal reaches the
 * program. It shares the network of this machine. Needs root.
 */
export function confined({ rootFolder, user, readOnly, writable = {} }: Confinement): string[] {
  // A folder below the read-only mount would be read-only as well.
  const mounts = Object.entries(writable).map(
    ([inside, folder]) => `mount --bind ${quote(folder)} "$root${inside}"; mount -o remount,bind,rw "$root${inside}"`,
  );
  const script = [
    "set -e",
    `root=${quote(rootFolder)}`,
    'mount --bind "$root" "$root"',
    ...(readOnly ? ['mount -o remount,bind,ro "$root"'] : []),
    ...mounts,
    'mount -t proc proc "$root/proc"',
    'mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"',
    'mount --rbind /dev "$root/dev"',
    `exec setpriv --no-new-privs --inh-caps=-all chroot --userspec=${quote(user)} "$root" "$@"`,
  ].join("\n");
  return ["unshare", "--mount", "sh", "-c", script, "confined"];
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
