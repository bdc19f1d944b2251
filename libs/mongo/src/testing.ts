/** For tests of other projects: the store in memory, which passes the suite of the adapter. */
export { createFakeStore, type FakeStore } from './fake/fake-store';
export type { FakeCollection } from './fake/fake-collection';
