/** What `pdi help` knows beside commands. */
export const topicNames = ['exit-codes', 'environment', 'output', 'money', 'sandbox'] as const;

/** A word that is both (`sandbox`) is the topic after `help`, the command before `--help`. */
export const isTopic = (word: string): boolean => topicNames.some((name) => name === word);
