/** A time in which a user is neither on duty nor paged. */
export interface Absence {
  id: string;
  userId: string;
  startsAt: Date;
  endsAt: Date;
  /** `null` as well for callers who may not read it. */
  note: string | null;
  createdAt: Date;
  createdBy: string;
}

/** The hours in which nobody is on duty in a group, because the user is absent. */
export interface LostCover {
  groupId: string;
  groupName: string;
  /** The number of these hours, rounded up to a tenth. */
  hours: number;
  /** The first such time. */
  startsAt: Date;
  endsAt: Date;
}

export interface AbsenceRecord extends Absence {
  /** The groups that lose cover in the next 62 days. */
  uncovered: LostCover[];
}
