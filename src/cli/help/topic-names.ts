/** The topics that `pdi help` knows besides commands. */
export const topicNames = ['exit-codes', 'environment', 'output', 'jobs', 'money', 'sandbox', 'ci'] as const;

export type TopicName = (typeof topicNames)[number];

/** `sandbox` is also a command: after `help` it means the topic, before `--help` the command. */
export const isTopic = (word: string): word is TopicName => topicNames.some((name) => name === word);
