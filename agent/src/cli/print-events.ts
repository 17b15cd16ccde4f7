import { adviceFor } from "../advice.ts";
import type { MusterAgent } from "../agent.ts";
import { printable } from "../connection/reasons.ts";
import { inWords } from "./output.ts";

/** Consecutive refusals after which a run fails if its input has ended. */
export const PATIENCE = 3;

const say = (text: string) => console.error(text);
const wait = (ms: number) => `next try in ${ms < 60_000 ? `${Math.ceil(ms / 1000)} s` : inWords(ms)}`;

/** Prints events to stderr, one line each. */
export function printEvents(agent: MusterAgent): void {
  printConnection(agent);
  agent.on("renewed", ({ certExpiresAt }) => say(`renewed, valid until ${certExpiresAt.toISOString()}`));
  agent.on("renewal-failed", ({ error, final, retryInMs }) => {
    say(`renewal failed: ${error.code}: ${error.message} ${final ? (adviceFor(error) ?? "") : wait(retryInMs)}`);
  });
  agent.on("dropped", ({ count, reason, error }) => {
    say(error === undefined ? `dropped ${count} messages: ${reason}` : `${error.code}: ${error.message}`);
  });
  agent.on("command-failed", ({ command, error }) => {
    say(`command on ${printable(command.topic)} failed: ${error.message}`);
  });
  agent.on("commands-dropped", ({ error }) => say(`${error.code}: ${error.message}`));
  agent.on("not-subscribed", ({ error }) => say(`${error.code}: ${error.message} ${adviceFor(error) ?? ""}`));
}

function printConnection(agent: MusterAgent): void {
  agent.on("connected", ({ deviceId }) => say(`connected as ${deviceId}`));
  agent.on("disconnected", ({ reason }) => say(`disconnected: ${reason}`));
  agent.on("unreachable", ({ error, retryInMs }) => say(`${error.code}: ${error.message} ${wait(retryInMs)}`));
  agent.on("refused", ({ error, consecutive, retryInMs }) => {
    say(`refused: ${error.message} ${wait(retryInMs)}`);
    if (consecutive === PATIENCE) say(adviceFor(error) ?? "");
  });
  agent.on("referred", ({ server }) => say(`the broker refers to ${server}`));
  agent.on("fell-back", () => {
    say("the broker does not speak MQTT 5; continuing with MQTT 3.1.1, which gives no reasons for refusals");
  });
}
