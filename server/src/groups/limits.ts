import { records } from "../lib/limits/records.ts";

const WEEK_MINUTES = 7 * 24 * 60;

/** The limits of groups and shifts (docs/spec-decisions.md, Groups and shifts). Those that bound growth are fixed. */
export const LIMITS = {
  membersOfGroup: records.membersOfGroup.value,
  channelsOfGroup: records.channelsOfGroup.value,
  stepsOfGroup: records.stepsOfGroup.value,
  shiftsOfGroup: records.shiftsOfGroup.value,
  usersOfShift: records.usersOfShift.value,
  targetCharacters: records.targetCharacters.value,
  afterMinutes: WEEK_MINUTES,
} as const;
