export const shifts = `SELECT 1`;
