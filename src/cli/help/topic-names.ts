/** What `pdi help` knows beside commands. */
export const topicNames = ['exit-codes', 'environment', 'output', 'money', 'sandbox'] as const;

export type TopicName = (typeof topicNames)[number];

/** A word that is both (`sandbox`) is the topic after `help`, the command before `--help`. */
export const isTopic = (word: string): word is TopicName => topicNames.some((name) => name === word);
