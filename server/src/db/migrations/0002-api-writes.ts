export const apiWrites = `SELECT 1`;
