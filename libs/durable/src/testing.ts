/** What suites of services may use to set a stage that no workflow leads to. */
import type { Revisioned } from '@platform/kernel';
import type { Draft } from '@platform/mongo';
import type { Checked } from './record/steps';

/** A draft in any status, past the table of steps: for records as an accident, or an older build, left them. */
export function forged<T extends Revisioned>(draft: Draft<T>): Checked<T> {
  return draft as unknown as Checked<T>;
}

export { leavingStore, patientRegister, type Leaving } from './executors/leaving-store.harness';
