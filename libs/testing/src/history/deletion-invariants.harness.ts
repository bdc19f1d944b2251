/** Histories that violate the invariant about deleted workspaces, as changes of a clean one. */
import { clean } from '../history.harness';
import type { Evidence, InvariantId } from './evidence';

const markedAt = (at: number) => ({ tenantId: 'globex', operationId: 'delete', at });
const deletion: Evidence['operations'][number] = {
  _id: 'delete',
  tenantId: 'globex',
  action: 'delete_workspace',
  status: 'succeeded',
  fingerprint: 'f-delete',
  values: {},
  createdAt: 58,
  attempts: [],
};

export const brokenDeletions: readonly (readonly [InvariantId, string, Partial<Evidence>])[] = [
  ['I16', 'a marker that is gone', { deletionLog: [markedAt(60), { tenantId: 'globex', operationId: null, at: 65 }] }],
  [
    'I16',
    'access that opens after the marker',
    {
      deletionLog: [markedAt(60)],
      accessLog: [...clean.accessLog, { tenantId: 'globex', state: 'open', operationId: null, at: 65 }],
    },
  ],
  [
    'I16',
    'an action that holds the workspace after the marker',
    {
      deletionLog: [markedAt(60)],
      transitionLog: [
        ...clean.transitionLog!,
        { tenantId: 'globex', operationId: 'later', change: 'admitted', at: 65 },
      ],
    },
  ],
  [
    'I16',
    'a deletion that succeeded before its listeners had',
    {
      operations: [...clean.operations, deletion],
      statusLog: [...clean.statusLog!, { operationId: 'delete', status: 'succeeded', at: 70 }],
      deletions: [{ tenantId: 'globex', status: 'deleted', deletedAt: 75 }],
    },
  ],
];
