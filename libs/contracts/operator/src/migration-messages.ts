/**
 * The messages of a running plan migration: its progress about every second, and a notice for the people of each
 * migrated workspace. Both are best effort; the records are authoritative.
 */
import { z } from 'zod';
import { migrationIdSchema, migrationStatusSchema } from './migration-view';
import { instantSchema, planIdSchema } from './vocabulary';

export const migrationSubjects = { progress: 'migration.progress', migrated: 'migration.workspace_migrated' } as const;
export const migrationTypes = {
  progress: 'migration.progress.v1',
  migrated: 'migration.workspace_migrated.v1',
} as const;

export const migrationMessageIds = {
  progress: (migrationId: string, turn: number): string => `migration-progress:${migrationId}:${turn}`,
  migrated: (itemId: string): string => `migration-notice:${itemId}`,
} as const;

export const migrationProgressSchema = z.object({
  migrationId: migrationIdSchema,
  status: migrationStatusSchema,
  count: z.int(),
  done: z.object({ succeeded: z.int(), failed: z.int(), skipped: z.int(), reconciliation_required: z.int() }),
  at: instantSchema,
});
export type MigrationProgress = z.infer<typeof migrationProgressSchema>;

/** For the workspace's owner, or for all its members: the plan of the workspace has changed. */
export const workspaceMigratedSchema = z.object({
  migrationId: migrationIdSchema,
  tenantId: z.string(),
  workspaceName: z.string(),
  fromPlanId: planIdSchema,
  toPlanId: planIdSchema,
  audience: z.enum(['owner', 'members']),
  at: instantSchema,
});
export type WorkspaceMigrated = z.infer<typeof workspaceMigratedSchema>;
