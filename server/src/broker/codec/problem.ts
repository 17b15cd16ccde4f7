import type { ProtocolProblem } from "../policy/answers.ts";

/**
 * A packet that violates MQTT or one of our limits. Its client is disconnected; `policy/answers.ts` maps the problem to
 * the answer to a CONNECT.
 */
export class PacketProblem extends Error {
  readonly problem: ProtocolProblem;

  constructor(message: string, problem: ProtocolProblem = "malformed_packet") {
    super(message);
    this.problem = problem;
  }
}
