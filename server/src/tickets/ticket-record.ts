import type { TicketRow } from "./ticket-store.ts";
import type { TicketStatus } from "./transitions.ts";

export const TICKET_TYPES = ["corrective", "preventive", "inspection"] as const;
export const TICKET_PRIORITIES = ["low", "medium", "high", "urgent"] as const;

export type TicketType = (typeof TICKET_TYPES)[number];
export type TicketPriority = (typeof TICKET_PRIORITIES)[number];

/** The fields that a client sets when it opens or patches a ticket; `null` stands for none. */
export interface TicketFields {
  title: string;
  description: string;
  type: TicketType;
  priority: TicketPriority;
  status: TicketStatus;
  deviceId: string | null;
  anomalyId: string | null;
  groupId: string | null;
  assigneeUserId: string | null;
  dueAt: Date | null;
  resolution: string | null;
}

/** A ticket, with fields as in docs/spec-decisions.md, Records. */
export interface TicketRecord extends TicketFields {
  id: string;
  /** Counts from 1 within the tenant, without gaps. */
  number: number;
  createdBy: string;
  createdAt: Date;
  updatedAt: Date;
  startedAt: Date | null;
  completedAt: Date | null;
}

export function toRecord(row: TicketRow): TicketRecord {
  return {
    id: row.id,
    number: row.number,
    title: row.title,
    description: row.description,
    type: row.type,
    priority: row.priority,
    status: row.status,
    deviceId: row.device_id,
    anomalyId: row.anomaly_id,
    groupId: row.group_id,
    assigneeUserId: row.assignee_user_id,
    dueAt: row.due_at,
    resolution: row.resolution,
    createdBy: row.created_by,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    startedAt: row.started_at,
    completedAt: row.completed_at,
  };
}
