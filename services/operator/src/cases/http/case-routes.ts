/** Cases for the platform owner: read them, or export them as a signed file. These routes resolve nothing. */
import {
  caseExportSchema,
  caseSchema,
  workItemIdSchema,
  workKindSchema,
  type CaseView,
} from '@platform/contracts-operator';
import { defineRoute, problem, reply, type Problem, type Route } from '@platform/http-server';
import { developmentOpsCommand, inDeployment, type Clock } from '@platform/kernel';
import { z } from 'zod';
import type { CaseMaterial } from '../workflows/read-case';
import { signCase } from '../workflows/sign-case';
import { isUnavailable, type Unavailable } from '../../work-queue/workflows/ports';
import { caseView } from './case-view';

export interface CaseRoutePorts {
  readonly readCase: (
    kind: z.infer<typeof workKindSchema>,
    itemId: string,
  ) => Promise<CaseMaterial | null | Unavailable>;
  readonly clock: Clock;
  /** Absent: cases cannot be exported. */
  readonly signingKey?: string | undefined;
  /** How people run the off-line commands in this deployment. */
  readonly opsCommand?: string;
}

/** The id is in the query, because ids of deliveries contain slashes. */
const caseQuery = z.strictObject({ id: workItemIdSchema });
const caseParams = z.object({ kind: workKindSchema });

/** The current case in the form of the contract, or why it cannot be read. */
export function caseReader({ readCase, opsCommand }: Pick<CaseRoutePorts, 'readCase' | 'opsCommand'>) {
  return async (kind: z.infer<typeof workKindSchema>, itemId: string): Promise<CaseView | Problem> => {
    const material = await readCase(kind, itemId);
    if (!material) return problem('not_found', { detail: `There is no such ${kind.replaceAll('_', ' ')}.` });
    return isUnavailable(material)
      ? problem('peer_unavailable', { detail: `${material.unavailable}.`, retryAfterSeconds: 2 })
      : withCommands(caseView(material), opsCommand);
  };
}

export function caseRoutes({ clock, signingKey, ...reading }: CaseRoutePorts): Route[] {
  const read = caseReader(reading);
  return [
    defineRoute({
      name: 'readCase',
      method: 'GET',
      path: '/api/saas/cases/:kind',
      policy: 'staff',
      tags: ['cases'],
      summary: 'The case of one operation, migration, migration item, provider event, provisioning attempt or delivery',
      description:
        'Collected at its owner just now: did money move, may anything still run, what was sent, what is not proven, and the next step of the runbook. Ids of deliveries are `<operation id>/<consumer>`.',
      params: caseParams,
      query: caseQuery,
      responses: { 200: caseSchema },
      errors: ['not_found', 'peer_unavailable', 'store_unavailable'],
      handle: async ({ params, query }) => {
        const answer = await read(params.kind, query.id);
        return isCase(answer) ? reply(200, answer) : answer;
      },
    }),
    defineRoute({
      name: 'exportCase',
      method: 'GET',
      path: '/api/saas/cases/:kind/export',
      policy: 'staff',
      tags: ['cases'],
      summary: 'The case as one signed file',
      description:
        'HMAC-SHA256 over the canonical JSON of everything but `signature`. `npm run ops -- verify case <file>` tells whether a file is untouched.',
      params: caseParams,
      query: caseQuery,
      responses: { 200: caseExportSchema },
      errors: ['not_found', 'peer_unavailable', 'store_unavailable', 'export_not_configured'],
      handle: async ({ params, query, caller }) => {
        if (signingKey === undefined) return problem('export_not_configured');
        const answer = await read(params.kind, query.id);
        if (!isCase(answer)) return answer;
        const name = `case-${params.kind}-${query.id.replaceAll(/[^A-Za-z0-9._-]/g, '_')}.json`;
        return reply(200, signCase(answer, { exportedBy: caller.email, exportedAt: clock.now(), key: signingKey }), {
          'content-disposition': `attachment; filename="${name}"`,
        });
      },
    }),
  ];
}

/** The commands for a person, in the form that works in this deployment. */
function withCommands(view: CaseView, opsCommand = developmentOpsCommand): CaseView {
  const commands = view.commands.map(({ purpose, line }) => ({ purpose, line: inDeployment(line, opsCommand) }));
  return { ...view, commands };
}

function isCase(answer: CaseView | Problem): answer is CaseView {
  return !('code' in answer && 'kind' in answer && answer.kind === 'problem');
}
