/** The topics of a certificate. */
export interface Topics {
  publishTopics: string[];
  subscribeTopics: string[];
}

/**
 * Returns the topics in the form of a response to a device, without `subscribeTopics` if there are none, as for most
 * device types.
 */
export function answeredTopics({
  publishTopics,
  subscribeTopics,
}: Topics): Pick<Topics, "publishTopics"> & Partial<Topics> {
  return subscribeTopics.length > 0 ? { publishTopics, subscribeTopics } : { publishTopics };
}
