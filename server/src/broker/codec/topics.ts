import { DEFAULT_LIMITS } from "../../lib/limits/limits.ts";
import type { ProtocolProblem } from "../policy/answers.ts";
import { PacketProblem } from "./problem.ts";

export const MAX_TOPIC_BYTES = DEFAULT_LIMITS.mqttTopicBytes;
const MAX_LEVELS = DEFAULT_LIMITS.mqttTopicLevels;

/**
 * Checks a topic name: not empty [MQTT-4.7.3-1], no wildcards [MQTT-3.3.2-2], not too many levels.
 *
 * @param problem the answer to an empty name and to wildcards
 * @throws {PacketProblem}
 */
export function checkTopicName(topic: string, problem?: ProtocolProblem): void {
  if (topic === "") throw new PacketProblem("an empty topic", problem);
  if (topic.includes("#") || topic.includes("+")) throw new PacketProblem("a wildcard in a topic name", problem);
  if (topic.length >= MAX_LEVELS) checkLevels(topic.split("/"), "topic_name_invalid");
}

/**
 * Checks a topic filter: `#` stands alone and last [MQTT-4.7.1-2], `+` alone [MQTT-4.7.1-3]. @throws {PacketProblem}
 */
export function checkTopicFilter(filter: string): void {
  if (filter === "") throw new PacketProblem("an empty topic filter");
  const levels = filter.split("/");
  checkLevels(levels, "topic_filter_invalid");
  for (const [index, level] of levels.entries()) {
    const isWildcard = level === "+" || (level === "#" && index === levels.length - 1);
    if (!isWildcard && /[#+]/.test(level)) throw new PacketProblem("a misplaced wildcard");
  }
}

function checkLevels(levels: string[], problem: ProtocolProblem): void {
  if (levels.length > MAX_LEVELS) throw new PacketProblem("too many topic levels", problem);
}
