import type { Channel } from "./channels.ts";
import type { AlwaysPages, EscalationStep } from "./escalation.ts";
import type { GroupRow } from "./group-store.ts";

/** A group in its API form (docs/spec-decisions.md, records). */
export interface GroupRecord {
  id: string;
  name: string;
  description: string;
  memberUserIds: string[];
  channels: Channel[];
  /** The `channels` that are not used yet because their receivers have not confirmed them. */
  unconfirmedChannels: Channel[];
  escalation: EscalationStep[];
  /** Whether the escalation also pages when a device of the group does not renew its certificate in time. */
  pagesLostRenewals: boolean;
  /** Whether both sides are told when the duty passes from some people to others. */
  tellsHandOvers: boolean;
  alwaysPages: AlwaysPages;
  /** The name by which a program that manages the group knows it. */
  externalId: string | null;
  shiftIds: string[];
  createdAt: Date;
  updatedAt: Date;
}

export function toGroupRecord(row: GroupRow): GroupRecord {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    memberUserIds: row.member_user_ids,
    channels: row.channels,
    unconfirmedChannels: row.unconfirmed_channels,
    escalation: row.escalation,
    pagesLostRenewals: row.pages_lost_renewals,
    tellsHandOvers: row.tells_hand_overs,
    alwaysPages: row.always_pages,
    externalId: row.external_id,
    shiftIds: row.shift_ids,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
