/** A ticket that was opened for an anomaly. */
export const OPENED = {
  id: "0199c1d2-4b00-7c1e-9a52-3d1f0b7e6a5c",
  number: 17,
  title: "Feed pump 1 runs hot",
  description: "Bearing temperature above 90 °C since the morning shift.",
  type: "corrective",
  priority: "high",
  status: "open",
  deviceId: "pump-1",
  anomalyId: "0199c1d1-9d40-7e0b-8c3a-6f5d4c3b2a19",
  groupId: null,
  assigneeUserId: null,
  dueAt: null,
  resolution: null,
  createdBy: "apikey:4fGh7Kp2",
  createdAt: "2026-11-20T10:20:00.000Z",
  updatedAt: "2026-11-20T10:20:00.000Z",
  startedAt: null,
  completedAt: null,
};

/** A patch that assigns it and starts the work. */
export const PATCH = {
  status: "in_progress",
  assigneeUserId: "0199c1c2-5d11-7a20-b1c4-2e6f7a8b9c0d",
  dueAt: "2026-11-21T16:00:00.000Z",
};

/** The same ticket after the patch. */
export const STARTED = {
  ...OPENED,
  ...PATCH,
  updatedAt: "2026-11-20T10:45:00.000Z",
  startedAt: "2026-11-20T10:45:00.000Z",
};
