/** Examples of `commands.ts`. */

export const NEW_COMMAND_EXAMPLE = {
  payload: '{"valve":"open"}',
  topic: "t/acme/commands/pump-1",
  expiresInMinutes: 60,
};

export const COMMAND_EXAMPLE = {
  id: "0199c1c9-2222-7a11-9c22-5e6f7a8b9c0d",
  deviceId: "pump-1",
  topic: NEW_COMMAND_EXAMPLE.topic,
  payload: NEW_COMMAND_EXAMPLE.payload,
  encoding: "text",
  state: "waiting",
  createdAt: "2026-11-20T09:00:00.000Z",
  createdBy: "apikey:qdpvdl7k",
  expiresAt: "2026-11-20T10:00:00.000Z",
  sentAt: null,
  endedAt: null,
};

export const SENT_COMMAND_EXAMPLE = { ...COMMAND_EXAMPLE, state: "sent", sentAt: "2026-11-20T09:00:00.012Z" };

export const BATCH_EXAMPLE = {
  id: "0199c1c9-4444-7a11-9c22-5e6f7a8b9c0d",
  queued: 1,
  refused: 0,
  items: [{ deviceId: "pump-1", outcome: "queued", commandId: COMMAND_EXAMPLE.id, error: null, message: null }],
};
