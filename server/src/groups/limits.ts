const WEEK_MINUTES = 7 * 24 * 60;

/** What a group and a shift may hold (docs/spec-decisions.md, Groups and shifts). */
export const LIMITS = {
  membersOfGroup: 500,
  channelsOfGroup: 20,
  stepsOfGroup: 10,
  shiftsOfGroup: 100,
  usersOfShift: 500,
  targetCharacters: 2_048,
  afterMinutes: WEEK_MINUTES,
} as const;
