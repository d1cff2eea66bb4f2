// @ts-check
/** Loaded into a measured process: writes what it used of memory and processor when it ends. */
const { readFileSync, writeFileSync } = require('node:fs');

/** The highest resident set; `resourceUsage` would count the parent's, from before the program was started. */
function peakKilobytes() {
  try {
    return Number(/VmHWM:\s*(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  const used = { cpuMs: (user + system) / 1000, peakMb: peakKilobytes() / 1024 };
  writeFileSync(process.env.BENCH_USAGE ?? '', JSON.stringify(used));
});
