/** For suites of services: creates records in states that no workflow reaches. */
import type { Revisioned } from '@platform/kernel';
import type { Draft } from '@platform/mongo';
import type { Checked } from './record/steps';

/** A draft in any status, without the table of steps: for records that an accident or an older build left. */
export function forged<T extends Revisioned>(draft: Draft<T>): Checked<T> {
  return draft as unknown as Checked<T>;
}

export { leavingStore, patientRegister, type Leaving } from './executors/leaving-store.harness';
export * from './record/interfered-writes.harness';
