import type { ProtocolProblem } from "../policy/answers.ts";

/**
 * A packet that MQTT or a limit of ours forbids. Its client is disconnected; `policy/answers.ts` says how a CONNECT with this problem is
 * answered.
 */
export class PacketProblem extends Error {
  readonly problem: ProtocolProblem;

  constructor(message: string, problem: ProtocolProblem = "malformed_packet") {
    super(message);
    this.problem = problem;
  }
}
