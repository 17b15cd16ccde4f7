import { spawn } from "node:child_process";
import { join } from "node:path";
import { until } from "../measure.ts";

/** A program of this folder in a process of its own, which prints `listening <port>`. */
export interface BareProgram {
  readonly pid: number;
  readonly port: number;
  stop(): Promise<void>;
}

export async function startBareProgram(file: string, env: Record<string, string>): Promise<BareProgram> {
  const child = spawn(process.execPath, [join(import.meta.dirname, file)], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk;
  });
  const port = await until(file, 20, () => {
    if (child.exitCode !== null) throw new Error(`${file} ended`);
    const line = /^listening (\d+)$/m.exec(output);
    return line === null ? undefined : Number(line[1]);
  });
  return {
    pid: child.pid!,
    port,
    stop: () =>
      new Promise((resolve) => {
        child.once("exit", () => resolve());
        child.kill("SIGTERM");
      }),
  };
}
