/**
 * Credits above a limit over HTTP: propose, read, approve. These routes credit nothing; only the credit's own request
 * does.
 */
import {
  approvalBodySchema,
  contractOf,
  creditProposalBodySchema,
  creditProposalListSchema,
  creditProposalViewSchema,
  listQueryMembers,
  operationIdSchema,
  starterPolicy,
  type CreditProposalView,
} from '@platform/contracts-operator';
import { digestOfProposal, isExpired, type Person } from '@platform/durable/signed-proposal';
import { defineRoute, problem, reply, type Caller, type Route } from '@platform/http-server';
import type { SigningKey } from '@platform/kernel';
import { z } from 'zod';
import { tenantParams } from '../../operations/http/request-parts';
import type { CreditProposal } from '../domain/credit-proposal';
import { pageOfProposals } from '../workflows/page-of-proposals';
import { approveCredit, proposeCredit, type CreditProposalPorts } from '../workflows/propose-credit';

export type CreditProposalRoutePorts = Omit<CreditProposalPorts, 'key'> & {
  /** Absent: nothing can be signed here. */
  readonly key?: SigningKey | undefined;
};

const listQuery = z.strictObject(listQueryMembers);
const params = z.object({ operationId: operationIdSchema });
const unsigned = () =>
  problem('export_not_configured', {
    detail: 'This gateway has no key to sign proposals with (CASE_SIGNING_KEY).',
  });
const notOfThisList = () =>
  problem('invalid_request', { errors: [{ pointer: '/query/cursor', message: 'is not a cursor of this list' }] });
const personOf = ({ subject, email }: Caller): Person => ({ id: subject, email });

function viewOf(proposal: CreditProposal, now: Date): CreditProposalView {
  const { statement, signature } = proposal;
  return {
    status: isExpired({ statement }, now) ? 'expired' : proposal.status,
    digest: digestOfProposal({ statement, signature }),
    statement,
    signature,
    ...(proposal.status === 'approved' && { approval: proposal.approval }),
  };
}

export function creditProposalRoutes(ports: CreditProposalRoutePorts): Route[] {
  const view = (proposal: CreditProposal) => viewOf(proposal, ports.clock.now());
  return [...proposingRoutes(ports, view), approvalRoute(ports, view)];
}

type View = (proposal: CreditProposal) => CreditProposalView;

function proposingRoutes(ports: CreditProposalRoutePorts, view: View): Route[] {
  return [
    defineRoute({
      name: 'listCreditProposals',
      method: 'GET',
      path: '/api/saas/workspaces/:tenantId/credit-proposals',
      policy: 'staff',
      tags: ['operations'],
      summary: 'Credits above a limit that were proposed for a workspace',
      description:
        'A credit above the limit of a person needs the approval of a second one, who sees exactly what was proposed.',
      params: tenantParams,
      query: listQuery,
      responses: { 200: creditProposalListSchema },
      errors: ['store_unavailable'],
      handle: async ({ params: { tenantId }, query }) => {
        const page = await pageOfProposals(ports.creditProposals, { tenantId }, query);
        return page ? reply(200, { ...page, proposals: page.proposals.map(view) }) : notOfThisList();
      },
    }),
    defineRoute({
      name: 'proposeCredit',
      method: 'POST',
      path: '/api/saas/workspaces/:tenantId/credit-proposals',
      policy: starterPolicy(contractOf('credit_customer')),
      tags: ['operations'],
      summary: 'Propose a credit above the limit of your role',
      description:
        'Signs the very request that is to be made. Nothing is credited. When a second person has approved it, the credit with this operation id and these values passes the limit, within 24 hours and once.',
      params: tenantParams,
      body: creditProposalBodySchema,
      idempotentBy: 'operationId',
      responses: { 201: creditProposalViewSchema },
      errors: [
        'not_found',
        'plan_not_available',
        'credit_too_large',
        'operation_id_reused',
        'export_not_configured',
        'store_unavailable',
      ],
      handle: async ({ params: { tenantId }, body, caller }) => {
        const { key } = ports;
        if (!key) return unsigned();
        const proposed = await proposeCredit({ ...ports, key }, { ...body, tenantId }, personOf(caller));
        return proposed.ok ? reply(201, view(proposed.value)) : problem(proposed.error);
      },
    }),
  ];
}

function approvalRoute(ports: CreditProposalRoutePorts, view: View): Route {
  return defineRoute({
    name: 'approveCredit',
    method: 'POST',
    path: '/api/saas/credit-proposals/:operationId/approval',
    policy: 'approver',
    tags: ['operations'],
    summary: "Approve another person's credit as it was shown",
    description: 'Signs the approval. Nothing is credited until the proposed request is made.',
    params,
    body: approvalBodySchema,
    responses: { 200: creditProposalViewSchema },
    errors: ['not_found', 'second_person_required', 'proposal_outdated', 'export_not_configured', 'store_unavailable'],
    handle: async ({ params: { operationId }, body, caller }) => {
      const { key } = ports;
      if (!key) return unsigned();
      const approved = await approveCredit({ ...ports, key }, operationId, personOf(caller), body.proposal);
      return approved.ok ? reply(200, view(approved.value)) : problem(approved.error);
    },
  });
}
