export const evaluation = `SELECT 1`;
