import { type RawBuilder, sql } from "kysely";

/**
 * Returns SQL for the topics of a device, equal to those of `resolveTopics`: the placeholder is always a whole segment.
 *
 * @param templates an array; NULL (no type) has none
 * @param prefix text, as `topicPrefix` returns it
 */
export function topicsOf(
  templates: RawBuilder<unknown>,
  prefix: RawBuilder<unknown>,
  deviceId: RawBuilder<unknown>,
): RawBuilder<string[]> {
  return sql`ARRAY(SELECT ${prefix} || '/' || replace(x.template, '{deviceId}', ${deviceId})
    FROM unnest(${templates}) WITH ORDINALITY AS x (template, place) ORDER BY x.place)`;
}

/**
 * Returns SQL for the columns `publish_topics` and `subscribe_topics` of a device.
 *
 * @param device a row with `prefix`, `device_id` and the templates of its type, `publish_templates` and
 * `subscribe_templates`
 */
export function withTopics(device: string): RawBuilder<unknown> {
  const [prefix, deviceId] = [sql.ref(`${device}.prefix`), sql.ref(`${device}.device_id`)];
  const resolved = (templates: string) => topicsOf(sql.ref(`${device}.${templates}`), prefix, deviceId);
  return sql`${resolved("publish_templates")} AS publish_topics, ${resolved("subscribe_templates")} AS subscribe_topics`;
}
