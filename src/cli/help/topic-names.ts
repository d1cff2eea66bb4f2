/** The topics that `pdi help` knows besides commands. */
export const topicNames = [
  'exit-codes',
  'environment',
  'output',
  'input',
  'jobs',
  'spreadsheets',
  'money',
  'sandbox',
  'ci',
  'mcp',
] as const;

export type TopicName = (typeof topicNames)[number];

/** `sandbox` and `mcp` are also commands: after `help` they mean the topic, before `--help` the command. */
export const isTopic = (word: string): word is TopicName => topicNames.some((name) => name === word);
