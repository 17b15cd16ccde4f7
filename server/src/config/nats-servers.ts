import { z } from "zod";
import { limitVariables, toLimits } from "./limits.ts";
import { type NatsServers, natsServerProblems, natsServers, natsVariables } from "./nats.ts";
import { type Given, givenIn, parsedAs } from "./parse.ts";

const natsEnvironment = z.object({ ...natsVariables, ...limitVariables });

/**
 * Parses the settings of the NATS servers from the environment. Other settings of a service may be missing or wrong.
 *
 * @throws ConfigError naming every problem
 */
export function parseNatsServers(env: Given): NatsServers {
  const given = givenIn(env);
  const parsed = parsedAs(natsEnvironment, given, natsServerProblems(given));
  return natsServers(parsed, toLimits(parsed));
}

/** Returns the NATS servers named by the settings of this process. */
export function loadNatsServers(): NatsServers {
  return parseNatsServers(process.env);
}
