import { loadConfig } from "../config/config.ts";
import { type ControlAnswer, type ControlProblem, sendSubcommand } from "../control/client.ts";
import { print, type Result } from "./output.ts";
import { type Api, ApiError } from "./remote/api-client.ts";
import { remoteSubcommands } from "./remote/subcommands.ts";
import { target } from "./remote/target.ts";

/** Sets the exit code of the process. */
export type Exit = (code: number) => void;

export interface Request {
  /** The command's name on the control socket. */
  name: string;
  body: object;
  json: boolean | undefined;
  /** Formats the result as lines of text. */
  show: (result: Result) => string[];
  /** Returns the exit code for a result; 0 by default. */
  exitCode?: (result: Result) => number;
  /** Returns what the user can do about a refusal if its message does not say so. */
  advice?: ((problem: ControlProblem) => string | undefined) | undefined;
}

/** Sends a command to the chosen service, or to that of the configured data folder, and prints its result. */
export async function send(exit: Exit, { name, body, ...shown }: Request): Promise<void> {
  const api = target();
  report(exit, await (api ? sendRemote(api, name, body) : sendSubcommand(loadConfig().dataDir, name, body)), shown);
}

async function sendRemote(api: Api, name: string, body: object): Promise<ControlAnswer> {
  try {
    return { ok: true, result: await remoteSubcommands[name]!(api, body) };
  } catch (error) {
    if (error instanceof ApiError) return { ok: false, problem: error.problem };
    throw error;
  }
}

/** Prints the result of a command, or the problem. */
export function report(
  exit: Exit,
  answer: ControlAnswer,
  { json, show, exitCode, advice }: Omit<Request, "name" | "body">,
): void {
  if (answer.ok) {
    print(answer.result, json, show);
    exit(exitCode?.(answer.result) ?? 0);
  } else {
    console.error(json ? JSON.stringify(answer.problem) : refusalLines(answer.problem, advice).join("\n"));
    exit(1);
  }
}

function refusalLines(problem: ControlProblem, advice: Request["advice"]): string[] {
  const { message, detail } = problem;
  const line = `muster: ${message}${detail ? ` (${detail})` : ""}`;
  const more = advice?.(problem);
  return more === undefined ? [line] : [line, more];
}
