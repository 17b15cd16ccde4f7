import { z } from "zod";
import { limitVariables, toLimits } from "./limits.ts";
import { type NatsServers, natsServerProblems, natsServers, natsVariables } from "./nats.ts";
import { type Given, givenIn, parsedAs } from "./parse.ts";

const natsEnvironment = z.object({ ...natsVariables, ...limitVariables });

/**
 * Parses what the environment says about the servers of NATS. Settings of a service that do not concern them may be missing or wrong.
 *
 * @throws ConfigError naming every problem
 */
export function parseNatsServers(env: Given): NatsServers {
  const given = givenIn(env);
  const parsed = parsedAs(natsEnvironment, given, natsServerProblems(given));
  return natsServers(parsed, toLimits(parsed));
}

/** The servers of NATS that the settings of this process name. */
export function loadNatsServers(): NatsServers {
  return parseNatsServers(process.env);
}
