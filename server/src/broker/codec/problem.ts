import type { ConnectProblem } from "../policy/answers.ts";

/**
 * A packet that MQTT or a limit of ours forbids. Its client is disconnected; `policy/answers.ts` says how a CONNECT with this problem is
 * answered.
 */
export class PacketProblem extends Error {
  readonly problem: ConnectProblem;

  constructor(message: string, problem: ConnectProblem = "malformed_packet") {
    super(message);
    this.problem = problem;
  }
}
