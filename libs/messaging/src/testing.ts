/** For tests of other projects: the broker in memory, and real brokers of a test's own. */
export { createFakeBroker } from './fake-broker';
export type { FakeBroker, FakeBrokerOptions, PublishedMessage } from './fake-broker';
export { subjectMatches } from './subject';
export { sharedTestServer, startTestServer } from './test-server';
export type { TestServer } from './test-server';
