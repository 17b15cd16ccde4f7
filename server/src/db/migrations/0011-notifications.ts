export const notifications = `SELECT 1`;
