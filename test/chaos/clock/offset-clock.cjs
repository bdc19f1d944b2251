// Loaded before a part of the platform when a run sets its clocks: its wall clock is the machine's plus the offsets in
// the files of CLOCK_OFFSETS, `all` for every part and one by the part's name. Timers and the monotonic counter are not
// affected, as on a machine whose clock is set.
const { readFileSync } = require('node:fs');
const { join } = require('node:path');

const folder = process.env['CLOCK_OFFSETS'];
const files = ['all', process.env['PART_NAME'] ?? ''].filter((name) => name !== '').map((name) => join(folder, name));
const readEveryMs = 20;
const Machine = Date;
let offset = 0;
let readAt = -Infinity;

function numberIn(file) {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch {
    return 0;
  }
}

function now() {
  if (performance.now() - readAt >= readEveryMs) {
    readAt = performance.now();
    offset = files.reduce((sum, file) => sum + numberIn(file), 0);
  }
  return Machine.now() + offset;
}

globalThis.Date = new Proxy(Machine, {
  construct: (_target, given) => (given.length === 0 ? new Machine(now()) : new Machine(...given)),
  apply: () => new Machine(now()).toString(),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});
