/** Operations beyond the specification (docs/spec-decisions.md). */
export const ADDITIONS = `
GET /devices/{id}/latest telemetry:read
GET /devices/{id}/series telemetry:read
GET /devices/{id}/readings telemetry:read
GET /devices/{id}/rejected telemetry:read
POST /devices device-registry:create
DELETE /devices/{id} device-registry:delete
GET /refusals refusals:read
GET /events events:read
GET /webhooks webhooks:read
GET /webhooks/{id} webhooks:read
POST /webhooks webhooks:write
DELETE /webhooks/{id} webhooks:write
POST /webhooks/{id}/enable webhooks:write
POST /webhooks/{id}/test webhooks:write
POST /webhooks/{id}/secret webhooks:write
POST /webhooks/{id}/confirmation webhooks:write
GET /commands commands:read
POST /commands commands:write
GET /devices/{id}/commands commands:read
POST /devices/{id}/commands commands:write
GET /devices/{id}/commands/{commandId} commands:read
DELETE /devices/{id}/commands/{commandId} commands:write
GET /device-types device-types:read
GET /device-types/{id} device-types:read
POST /device-types device-types:write
PATCH /device-types/{id} device-types:write
DELETE /device-types/{id} device-types:write
PUT /groups/{id}/members group-members:write
PUT /groups/{id}/channels group-channels:write
GET /mqtt-clients mqtt-clients:read
POST /mqtt-clients mqtt-clients:write
POST /mqtt-clients/{id}/password mqtt-clients:write
POST /mqtt-clients/{id}/disable mqtt-clients:write
POST /mqtt-clients/{id}/enable mqtt-clients:write
DELETE /mqtt-clients/{id} mqtt-clients:write`;

/** Further operations under the scopes of the specification: "more writes arrive in later versions" (spec 9). */
export const MORE = `
PATCH /devices/{id} devices:write
PATCH /groups/{id} groups:write
DELETE /groups/{id} groups:write
DELETE /groups/{id}/shifts/{shiftId} shifts:write
POST /shifts shifts:write
PATCH /shifts/{id} shifts:write
DELETE /shifts/{id} shifts:write
GET /on-call shifts:read
PATCH /thresholds/{id} thresholds:write
DELETE /thresholds/{id} thresholds:write
POST /thresholds/{id}/enable thresholds:write
POST /thresholds/{id}/disable thresholds:write
POST /thresholds/{id}/dry-run thresholds:write`;
