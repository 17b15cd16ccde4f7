/** The topics of a certificate. */
export interface Topics {
  publishTopics: string[];
  subscribeTopics: string[];
}

/** The topics as an answer to a device has them: what most device types do not have is left out. */
export function answeredTopics({
  publishTopics,
  subscribeTopics,
}: Topics): Pick<Topics, "publishTopics"> & Partial<Topics> {
  return subscribeTopics.length > 0 ? { publishTopics, subscribeTopics } : { publishTopics };
}
