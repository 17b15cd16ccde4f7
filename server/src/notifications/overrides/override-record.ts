/** For a time, a user takes the duty of another in a group, or of everybody. */
export interface OverrideRecord {
  id: string;
  groupId: string;
  startsAt: Date;
  endsAt: Date;
  /** The user who takes the duty; `null` for an offer to everyone of the group. */
  userId: string | null;
  /** The user whose duty it is; `null` for everybody on duty. */
  replacesUserId: string | null;
  /** An offer changes nobody's duty until somebody agrees. */
  state: "offered" | "agreed";
  createdAt: Date;
  createdBy: string;
}
