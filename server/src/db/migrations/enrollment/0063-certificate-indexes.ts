/**
 * Certificates without the index entries that no query reads: those that end are read by tenant or among the bundles, and only a certificate that was
 * replaced has a successor.
 */
export const certificateIndexes = `
DROP INDEX certificates_ending;
ALTER TABLE certificates DROP CONSTRAINT certificates_superseded_by_id_key;
CREATE UNIQUE INDEX certificates_superseded_by ON certificates (superseded_by_id) WHERE superseded_by_id IS NOT NULL;
`;
