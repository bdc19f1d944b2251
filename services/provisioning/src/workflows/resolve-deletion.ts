/**
 * The end of an investigation of a deletion. A listener is never called again, so `not_applied` is not possible; the
 * remaining listeners are called afterwards.
 */
import { defineInvestigation } from '@platform/durable/investigation';
import { resumeDeletion } from '../domain/deletion';
import { deletionReading, type DeletionReadingPorts } from './read-deletion-resolution';

export const deletionInvestigation = defineInvestigation({
  ...deletionReading,
  records: (ports: DeletionReadingPorts) => ports.deletions,
  resolve: (_ports, deletion, resolution) => resumeDeletion(deletion, resolution),
});
