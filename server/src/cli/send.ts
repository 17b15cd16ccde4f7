import { loadConfig } from "../config/config.ts";
import { sendCommand } from "../control/client.ts";
import { print, type Result } from "./output.ts";

/** Sets the exit code of the process. */
export type Exit = (code: number) => void;

export interface Request {
  /** The command's name on the control socket. */
  name: string;
  body: object;
  json: boolean | undefined;
  /** The result as lines of text. */
  show: (result: Result) => string[];
  /** The exit code for a result; 0 when absent. */
  exitCode?: (result: Result) => number;
}

/** Sends a command to the service of the configured data folder and prints its result. */
export async function send(exit: Exit, { name, body, json, show, exitCode }: Request): Promise<void> {
  const answer = await sendCommand(loadConfig().dataDir, name, body);
  if (answer.ok) {
    print(answer.result, json, show);
    return exit(exitCode?.(answer.result) ?? 0);
  }
  const { message, detail } = answer.problem;
  console.error(json ? JSON.stringify(answer.problem) : `muster: ${message}${detail ? ` (${detail})` : ""}`);
  exit(1);
}
