/** What `--out` calls standard output. */
const namesOfStdout: ReadonlySet<string> = new Set(['-', '/dev/stdout', '/dev/fd/1', '/proc/self/fd/1']);

/** Whether `--out` names standard output. */
export const isStdout = (file: string): boolean => namesOfStdout.has(file);
