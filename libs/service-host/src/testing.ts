/** For tests of other projects: a process that a suite reads, signals and ends. */
export { createTestHost } from './test-host';
