/**
 * The types of provisioning listeners: modules that take part in the creation of a workspace before it is committed,
 * and in its deletion or rollback. Unlike consumers they are called once, in series, and a failure stops the creation.
 */
import { listenerNameSchema, type ProvisioningEvent, type ProvisioningNotice } from '@platform/contracts-provisioning';
import { z } from 'zod';
import { TenantLifecycleError } from './types';

/** `TENANT_BEING_PROVISIONED` or `TENANT_DELETED` (specification §3). */
export type TenantProvisioningEvent = ProvisioningEvent;

/**
 * What a listener receives: `tenantId`, `attemptId`, `workspaceName`, `ownerUserId`, `planId`, and at
 * TENANT_BEING_PROVISIONED the caller's `extras`, if there are any. The platform does not store extras and sends them
 * once: do not store or log more of them than you need.
 */
export type TenantProvisioningNotice = Readonly<Omit<ProvisioningNotice, 'event'>>;

export interface TenantProvisioningListener {
  /**
   * 3 to 64 of a-z, 0-9, _ and -, beginning with a letter; unique on the platform, stable, and the broker user's name.
   */
  readonly name: string;
  /** Lower numbers are called first, equal ones in the order of their names; 0 to 1,000, default 100. */
  readonly order?: number;
  /** Release of this listener, an increasing number: while two run side by side, the older one never replaces the newer one. */
  readonly version?: number;
  /**
   * The tenant's rows exist, and nothing is paid or committed yet. Resolving lets the creation continue; rejecting
   * stops it permanently, because the outcome in the listener is then unknown. Called once per creation, never again.
   */
  onTenantBeingProvisioned?(notice: TenantProvisioningNotice): Promise<void>;
  /**
   * The creation is rolled back after a definitive refusal, or the workspace is deleted: remove what was created, and
   * succeed when there is nothing to remove. Rejecting stops the rollback or deletion until people investigate. Called
   * once, never again.
   */
  onTenantDeleted?(notice: TenantProvisioningNotice): Promise<void>;
  /**
   * Aborted when the owning module unloads: the registration is then removed. Default: the owner in whose scope it
   * registers.
   */
  readonly owner?: AbortSignal;
}

/**
 * Thrown by a listener to give a reason: operators see the code. Every other error is shown as `listener_error`, and no
 * message of any error leaves the process, because it may repeat the extras.
 */
export class TenantProvisioningRefusal extends Error {
  override name = 'TenantProvisioningRefusal';
  constructor(
    /** A lower-case letter, then up to 63 of a-z, 0-9 and _. */
    readonly code: string,
    message = code,
  ) {
    super(message);
  }
}

const handler = z
  .custom((value) => value === undefined || typeof value === 'function', 'must be a function')
  .optional();
const listenerSchema = z
  .strictObject({
    name: listenerNameSchema,
    order: z.int().min(0).max(1_000).optional(),
    version: z.int().min(0).optional(),
    onTenantBeingProvisioned: handler,
    onTenantDeleted: handler,
    owner: z
      .custom((value) => value === undefined || value instanceof AbortSignal, 'must be an AbortSignal')
      .optional(),
  })
  .refine(
    (listener) => listener.onTenantBeingProvisioned !== undefined || listener.onTenantDeleted !== undefined,
    'must have onTenantBeingProvisioned, onTenantDeleted or both',
  );

/** A frozen copy of the registration. Throws TenantLifecycleError `invalid_registration` that names every error. */
export function validateListener(registration: TenantProvisioningListener): TenantProvisioningListener {
  const given = typeof registration === 'object' && registration !== null;
  // Methods of a class instance must be found too, so the handlers are read by name.
  const fields = given
    ? {
        ...registration,
        onTenantBeingProvisioned: registration.onTenantBeingProvisioned,
        onTenantDeleted: registration.onTenantDeleted,
      }
    : registration;
  const checked = listenerSchema.safeParse(fields);
  if (!checked.success) {
    const mistakes = checked.error.issues.map((issue) => `${issue.path.join('.') || 'registration'}: ${issue.message}`);
    throw new TenantLifecycleError(
      'invalid_registration',
      `a tenant provisioning listener cannot be registered: ${mistakes.join('; ')}`,
    );
  }
  const { name, order, version, owner } = registration;
  return Object.freeze({
    name,
    ...(order !== undefined && { order }),
    ...(version !== undefined && { version }),
    ...(owner && { owner }),
    ...(registration.onTenantBeingProvisioned && {
      onTenantBeingProvisioned: registration.onTenantBeingProvisioned.bind(registration),
    }),
    ...(registration.onTenantDeleted && { onTenantDeleted: registration.onTenantDeleted.bind(registration) }),
  });
}
