/** These shells have a completion script. */

export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof shells)[number];

export const isShell = (word: string): word is Shell => shells.some((shell) => shell === word);
