// @ts-check
/** Tells steady what differs from run to run though nothing is wrong. Whatever is not listed here has to be the same. */

/**
 * Ids that are drawn at random, numbered as they come: which lines belong together is still compared.
 * Those of the invented data are fixed (`-0000-4000-8000-`) and stay.
 */
function numberedIds() {
  /** @type {Map<string, string>} */
  const numbers = new Map();
  return (/** @type {string} */ id) => {
    const known = numbers.get(id) ?? `<id ${numbers.size + 1}>`;
    numbers.set(id, known);
    return known;
  };
}

/**
 * For the texts of one command line, in their order.
 * @param {{ folder: string, build: string }} places of the files, and of the program
 * @returns {(text: string) => string}
 */
export function steadier({ folder, build }) {
  const numbered = numberedIds();
  /** @type {readonly (readonly [RegExp | string, any])[]} */
  const replacements = [
    // Folders of this run.
    [folder, '<folder>'],
    [build, '<build>'],
    // The system gives a free port, of four digits or five.
    [/127\.0\.0\.1:\d{4,}/g, '127.0.0.1:<port>'],
    // The clock is set to this day, and runs.
    [/2026-07-01T09:3\d:\d\d(?:\.\d+)?Z/g, '<now>'],
    // The same in a workbook, which counts days.
    [/<v>46204\.39\d+<\/v>/g, '<v><now></v>'],
    // How long an answer took, in what --verbose tells.
    [/^(< .*) \d+ ms/gm, '$1 <n> ms'],
    // When a job's file was written last, in its journal: nanoseconds of the file system.
    [/"modified":"\d+"/g, '"modified":"<ns>"'],
    // A recording may be compared under another Node.
    [process.versions.node, '<node>'],
    [
      /\b(?!\w{8}-0000-4000-8000-)[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}\b/g,
      numbered,
    ],
  ];
  return (text) => replacements.reduce((steady, [from, to]) => steady.replaceAll(from, to), text);
}
