/**
 * What a connect changes. Rows of devices and certificates are written again in their own page, without new entries in their indexes, where no indexed
 * column has changed (a HOT update): their pages keep room for it. Sessions of a device or a certificate are found by the client id of the device.
 */
export const leanConnects = `
ALTER TABLE devices SET (fillfactor = 80);
ALTER TABLE certificates SET (fillfactor = 80);
DROP INDEX mqtt_sessions_certificate;
DROP INDEX mqtt_sessions_device;
`;
