/**
 * Of a long rejected message only the start of the payload is stored, and how long it was: with whole payloads a client that sends nothing
 * valid made the service hold and write several times what it sent.
 */
export const rejectedPayloadStarts = `
ALTER TABLE rejected_messages ADD COLUMN payload_bytes integer;
COMMENT ON COLUMN rejected_messages.payload_bytes IS 'bytes of the whole payload, where only its start is stored';
`;
