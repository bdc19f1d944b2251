/** The case file of an operation in the words of the contract. */
import type { Evidence } from '@platform/contracts-operator';
import type { CaseFile } from '../workflows/collect-evidence';
import { adminStateView } from '../../mirror/http/admin-state-view';
import { findingsView } from './findings-view';
import { operationView } from './operation-view';

export function evidenceView(file: CaseFile): Evidence {
  const { source, problem: trouble, ...lifecycle } = file.lifecycle;
  return {
    operation: operationView(file.operation, file.executors),
    collectedAt: file.collectedAt.toISOString(),
    workspace: file.subscription && adminStateView(file.subscription),
    provider: findingsView(file.provider),
    lifecycle: { source, ...(trouble && { problem: trouble }), ...lifecycle },
    notProven: [...file.notProven],
  };
}
