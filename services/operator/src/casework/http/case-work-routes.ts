/**
 * Work on cases over HTTP: read it, add to it, read a pinned case again. The record that the case is about never
 * changes here.
 */
import {
  caseWorkRequestSchema,
  caseWorkSchema,
  operationIdSchema,
  pinnedCaseSchema,
  workItemIdSchema,
  workKindSchema,
  type CaseView,
  type CaseWorkView,
  type WorkKind,
} from '@platform/contracts-operator';
import { defineRoute, problem, reply, type Problem, type Route } from '@platform/http-server';
import { z } from 'zod';
import { progressOf, type CaseWork, type CaseWorkRefusal } from '../domain/case-work';
import { openProposals, type ProgressPorts } from '../workflows/case-progress';
import { caseKey, readPin, workOnCase, type CaseWorkPorts } from '../workflows/work-on-case';

/** The work queue's row of a case that is still open. */
interface OpenCase {
  readonly cause?: string;
}

export interface CaseWorkRoutePorts extends CaseWorkPorts, Omit<ProgressPorts, 'work'> {
  readonly openCase: (kind: WorkKind, itemId: string) => Promise<OpenCase | null>;
  /** The current case, or why it cannot be read. */
  readonly readCase: (kind: WorkKind, itemId: string) => Promise<CaseView | Problem>;
  /** Notifies browsers that a case was worked on. */
  readonly changed: (kind: WorkKind, itemId: string) => Promise<void>;
}

const query = z.strictObject({ id: workItemIdSchema });
const params = z.object({ kind: workKindSchema });

export function caseWorkRoutes(ports: CaseWorkRoutePorts): Route[] {
  return [readRoute(ports), addRoute(ports), pinRoute(ports)];
}

function readRoute(ports: CaseWorkRoutePorts): Route {
  return defineRoute({
    name: 'readCaseWork',
    method: 'GET',
    path: '/api/saas/cases/:kind/work',
    policy: 'staff',
    tags: ['cases'],
    summary: 'Who has a case, how far people are, and what they wrote down',
    description:
      'Empty for a case that no person has worked on. `proposed` and `approved` follow from a proposal that can still be applied.',
    params,
    query,
    responses: { 200: caseWorkSchema },
    errors: ['store_unavailable'],
    handle: async ({ params: { kind }, query: { id } }) =>
      reply(200, await viewOf(ports, kind, id, await ports.work.findById(caseKey(kind, id)))),
  });
}

function addRoute(ports: CaseWorkRoutePorts): Route {
  return defineRoute({
    name: 'workOnCase',
    method: 'POST',
    path: '/api/saas/cases/:kind/work',
    policy: 'case_worker',
    tags: ['cases'],
    summary: 'Add a note, an assignment, a state or pinned evidence to a case',
    description:
      'The record of the case stays as it is. A pin keeps the whole case as it is read at this moment. A repeat with the same `entryId` adds nothing.',
    params,
    query,
    body: caseWorkRequestSchema,
    responses: { 200: caseWorkSchema },
    errors: ['not_found', 'case_assigned', 'case_work_full', 'peer_unavailable', 'store_unavailable'],
    examples: {
      body: {
        example: { what: 'note', entryId: 'note-2026-0001', text: 'The provider confirms the credit by telephone.' },
      },
    },
    handle: async ({ params: { kind }, query: { id }, body, caller }) => {
      const known = body.what === 'pinned' ? null : await knownCase(ports, kind, id);
      const view = known === null ? await ports.readCase(kind, id) : undefined;
      if (view && 'code' in view) return view;
      const added = await workOnCase(ports, kind, id, { ...body, by: caller.email }, view as CaseView | undefined);
      if (!added.ok) return refusal(added.error);
      await ports.changed(kind, id);
      return reply(200, await viewOf(ports, kind, id, added.value));
    },
  });
}

/**
 * Null: neither the queue nor the recorded work contains the case, so only its owner knows whether the record exists.
 */
async function knownCase(ports: CaseWorkRoutePorts, kind: WorkKind, itemId: string): Promise<object | null> {
  return (await ports.openCase(kind, itemId)) ?? (await ports.work.findById(caseKey(kind, itemId)));
}

function refusal(code: CaseWorkRefusal) {
  return code === 'entry_id_reused'
    ? problem('invalid_request', {
        errors: [{ pointer: '/entryId', message: 'names another entry of this case already' }],
      })
    : problem(code);
}

function pinRoute(ports: CaseWorkRoutePorts): Route {
  return defineRoute({
    name: 'readPinnedCase',
    method: 'GET',
    path: '/api/saas/cases/:kind/pins/:entryId',
    policy: 'staff',
    tags: ['cases'],
    summary: 'A case as it was read when a person pinned it',
    description: 'The evidence of that moment, whole; the case itself may show something else by now.',
    params: params.extend({ entryId: operationIdSchema }),
    query,
    responses: { 200: pinnedCaseSchema },
    errors: ['not_found', 'store_unavailable'],
    handle: async ({ params: { kind, entryId }, query: { id } }) => {
      const pin = await readPin(ports, kind, id, entryId);
      if (!pin) return problem('not_found', { detail: 'This case has no pinned evidence under that id.' });
      const { pinnedAt, pinnedBy, digest, view } = pin;
      return reply(200, { entryId, pinnedAt: pinnedAt.toISOString(), pinnedBy, digest, case: view });
    },
  });
}

async function viewOf(
  ports: CaseWorkRoutePorts,
  kind: WorkKind,
  id: string,
  work: CaseWork | null,
): Promise<CaseWorkView> {
  const [open, proposed] = await Promise.all([ports.openCase(kind, id), openProposals(ports, [{ kind, itemId: id }])]);
  const proposal = proposed.get(caseKey(kind, id));
  const { entries = [] } = work ?? {};
  return {
    kind,
    id,
    ...(progressOf(work, proposal?.status) ?? { state: 'new', assignee: null }),
    ...(open?.cause !== undefined && { cause: open.cause }),
    ...(proposal && { proposalId: proposal._id }),
    entries: [...entries].reverse().map(({ at, ...entry }) => ({ ...entry, at: at.toISOString() })),
  };
}
