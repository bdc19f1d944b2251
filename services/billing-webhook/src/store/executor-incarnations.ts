/** Collection `executor_incarnations`: the boots of this service, as evidence for the first proof. */
import type { CollectionDeclaration } from '@platform/mongo';
import { executorIncarnationsCollection, type IncarnationRecord } from '@platform/service-host';

export const incarnationsCollection: CollectionDeclaration<IncarnationRecord> = executorIncarnationsCollection;
