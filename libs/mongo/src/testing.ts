/** What tests of other projects may use: the store in memory, proven by the suite that the adapter passes. */
export { createFakeStore, type FakeStore } from './fake/fake-store';
export type { FakeCollection } from './fake/fake-collection';
