/** A session reaches a few devices with commands before its user must be verified again. */
export const commandedDevices = `
-- To which the session has sent commands since the last step-up, other than within minutes of it.
ALTER TABLE user_sessions ADD COLUMN commanded_devices text[] NOT NULL DEFAULT '{}';
`;
