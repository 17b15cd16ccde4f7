export const thresholdsAnomalies = `SELECT 1`;
