import { run } from "../run.ts";

/** buildah with its images in a folder, which works without a daemon, without overlay file systems and in a sandbox. */
export class Buildah {
  readonly #storage: string;

  constructor(storage: string) {
    this.#storage = storage;
  }

  /** Runs a subcommand and returns its trimmed output. */
  async run([subcommand, ...args]: [string, ...string[]]): Promise<string> {
    const store = ["--root", `${this.#storage}/root`, "--runroot", `${this.#storage}/run`, "--storage-driver", "vfs"];
    return (await run("buildah", [...store, subcommand, ...args], { cwd: "/" })).trim();
  }
}
