/** For tests of other projects: a process that a suite reads, signals and ends, and the metrics of one. */
export { createMetrics } from './metrics';
export { createTestHost } from './test-host';
