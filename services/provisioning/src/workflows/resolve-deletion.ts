/**
 * The end of an investigation of a deletion. A listener is never called again, so there is nothing that `not_applied` could
 * lead to; the listeners that were not called yet are called after it.
 */
import { defineInvestigation } from '@platform/durable/investigation';
import { resumeDeletion } from '../domain/deletion';
import { deletionReading, type DeletionReadingPorts } from './read-deletion-resolution';

export const deletionInvestigation = defineInvestigation({
  ...deletionReading,
  records: (ports: DeletionReadingPorts) => ports.deletions,
  resolve: (_ports, deletion, resolution) => resumeDeletion(deletion, resolution),
});
