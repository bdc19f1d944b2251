/** For tests of other projects: the broker in memory, and separate real brokers. */
export { createFakeBroker } from './fake-broker';
export { createFakeBuckets, type FakeBuckets } from './fake-buckets';
export { signOn } from './nats-context';
export { subjectMatches } from './subject';
export { startTestServer } from './test-server';
export type { TestServer } from './test-server';
