/** For tests of other projects: the broker in memory. */
export { createFakeBroker } from './fake-broker';
export type { FakeBroker, FakeBrokerOptions, PublishedMessage } from './fake-broker';
