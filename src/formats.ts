/** The formats of the output, by the names of `--output`. */

export const outputFormats = ['table', 'json', 'ndjson', 'csv', 'xlsx'] as const;
export type OutputFormat = (typeof outputFormats)[number];

/** Whoever reads stdout as JSON reads stderr as JSON too; with every other format failures are in words. */
export const isJsonFormat = (format: OutputFormat): format is 'json' | 'ndjson' => format === 'json' || format === 'ndjson';
