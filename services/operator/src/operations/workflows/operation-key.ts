/** How the register of work under way names an operation. */
import { workKey } from '@platform/kernel';
import { operationsCollection } from '../store/operations';

export function operationKey(operationId: string): string {
  return workKey(operationsCollection.name, operationId);
}
