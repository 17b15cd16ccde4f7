export const telemetryStorage = `SELECT 1`;
