import { type RawBuilder, sql } from "kysely";

/**
 * SQL: the topics of a device, as `resolveTopics` makes them: the placeholder is always a whole segment.
 *
 * @param templates an array; NULL (no type) has none
 * @param prefix text, as `topicPrefix` makes it
 */
export function topicsOf(
  templates: RawBuilder<unknown>,
  prefix: RawBuilder<unknown>,
  deviceId: RawBuilder<unknown>,
): RawBuilder<string[]> {
  return sql`ARRAY(SELECT ${prefix} || '/' || replace(x.template, '{deviceId}', ${deviceId})
    FROM unnest(${templates}) WITH ORDINALITY AS x (template, place) ORDER BY x.place)`;
}
