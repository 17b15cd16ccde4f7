import { readFile, stat } from "node:fs/promises";
import { Secret } from "../lib/secret.ts";
import { ConfigError } from "./config.ts";

const GROUP_AND_OTHERS = 0o077;

/**
 * Reads an address with a password from a file, since every user of the machine could read it on a command line.
 *
 * @throws ConfigError if the file cannot be read, is readable by others, or contains no PostgreSQL address
 */
export async function readAddressFile(path: string): Promise<Secret<string>> {
  const [text, { mode }] = await Promise.all([readFile(path, "utf8"), stat(path)]).catch(
    (error: NodeJS.ErrnoException) => {
      throw new ConfigError([`${path} cannot be read: ${error.code}`]);
    },
  );
  if (process.platform !== "win32" && (mode & GROUP_AND_OTHERS) !== 0)
    throw new ConfigError([`${path} can be read by other users of this machine. Run chmod 600 ${path}`]);
  const address = text.trim();
  if (!/^postgres(ql)?:$/.test(URL.parse(address)?.protocol ?? ""))
    throw new ConfigError([`${path} must contain an address like postgres://user:password@host/database`]);
  return new Secret(address);
}
