// Loaded into every part of the platform that the tail bench measures: keeps when its garbage was collected, in
// milliseconds since the epoch, and writes that beside this file when the process ends.
const { writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { PerformanceObserver, performance } = require('node:perf_hooks');

const pauses = [];
const keep = (entries) => {
  for (const { startTime, duration } of entries) pauses.push([performance.timeOrigin + startTime, duration]);
};
const observer = new PerformanceObserver((list) => keep(list.getEntries()));
observer.observe({ entryTypes: ['gc'] });
process.on('exit', () => {
  keep(observer.takeRecords());
  writeFileSync(join(__dirname, `${process.pid}.json`), JSON.stringify(pauses));
});
