export const tickets = `SELECT 1`;
