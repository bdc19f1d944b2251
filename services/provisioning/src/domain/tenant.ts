/**
 * The rows that make a workspace: its owner and its billing profile. Tombstones and the tenant's row are never dropped.
 */
import type { BillingProfile } from '@platform/contracts-provisioning';
import type { Revisioned } from '@platform/kernel';

export interface Tenant extends Revisioned {
  readonly name: string;
  readonly status: 'provisioned' | 'cancelled' | 'deleted';
  readonly owners: readonly string[];
}

/** Erased by a completed rollback: no customer was charged, so nothing needs the person's address. */
export interface BillingProfileRecord extends Revisioned {
  readonly profile: BillingProfile | null;
}
