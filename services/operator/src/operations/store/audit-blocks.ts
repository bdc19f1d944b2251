/**
 * Collection `audit_blocks`: the hash-chained trail of requests; `_id` is the block's number. Never changed, never
 * removed.
 */
import type { CollectionDeclaration } from '@platform/mongo';
import type { AuditBlock } from '../domain/audit-block';

export const auditBlocksCollection: CollectionDeclaration<AuditBlock> = { name: 'audit_blocks', indexes: [] };
