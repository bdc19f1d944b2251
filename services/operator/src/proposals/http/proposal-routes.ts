/**
 * Proposals for the end of an investigation. Preparing and approving one changes a proposal and nothing else: a person with
 * database credentials applies it off-line (specification §1.4).
 */
import {
  approvalBodySchema,
  listQueryMembers,
  proposalBodySchema,
  proposalListSchema,
  proposalViewSchema,
  workItemIdSchema,
  type ProposalView,
} from '@platform/contracts-operator';
import { proposalIdSchema, proposedKinds, type ProposedKind } from '@platform/contracts-provisioning';
import { digestOfProposal, isExpired, type Person } from '@platform/durable/signed-proposal';
import { defineRoute, problem, reply, type Caller, type Route } from '@platform/http-server';
import { developmentOpsCommand, inDeployment, opsLine, type SigningKey } from '@platform/kernel';
import { z } from 'zod';
import { signedOf, type Proposal } from '../domain/proposal';
import { approveProposal, type ApprovingPorts } from '../workflows/approve-proposal';
import { pageOfProposals } from '../workflows/page-of-proposals';
import { prepareProposal, type ProposingPorts } from '../workflows/prepare-proposal';

export type ProposalRoutePorts = Omit<ProposingPorts & ApprovingPorts, 'key'> & {
  /** Absent: nothing can be signed here. */
  readonly key?: SigningKey | undefined;
  /** How people run the off-line commands in this deployment. */
  readonly opsCommand?: string | undefined;
};

const params = z.object({ proposalId: proposalIdSchema });
const listQuery = z.strictObject({
  kind: z.enum(proposedKinds),
  id: workItemIdSchema,
  ...listQueryMembers,
});
const unsigned = () =>
  problem('export_not_configured', {
    detail: 'This gateway has no key to sign proposals with (CASE_SIGNING_KEY).',
  });

const personOf = ({ subject, email }: Caller): Person => ({ id: subject, email });

export function proposalRoutes(ports: ProposalRoutePorts): Route[] {
  const view = (proposal: Proposal) => proposalView(proposal, ports.clock.now(), ports.opsCommand);
  return [...readingRoutes(ports, view), ...writingRoutes(ports, view)];
}

function readingRoutes({ proposals, key }: ProposalRoutePorts, view: (proposal: Proposal) => ProposalView): Route[] {
  return [
    defineRoute({
      name: 'listProposals',
      method: 'GET',
      path: '/api/saas/proposals',
      policy: 'staff',
      tags: ['cases'],
      summary: 'Proposals for the end of the investigation of one record',
      description:
        'A proposal ends nothing by itself: another person approves it, and a person with database credentials applies it off-line.',
      query: listQuery,
      responses: { 200: proposalListSchema },
      errors: ['store_unavailable'],
      handle: async ({ query: { kind, id: itemId, ...query } }) => {
        const page = await pageOfProposals(proposals, { kind, itemId }, query);
        return page
          ? reply(200, { ...page, proposals: page.proposals.map(view), verifyingKey: key?.publicKey ?? null })
          : problem('invalid_request', {
              errors: [{ pointer: '/query/cursor', message: 'is not a cursor of this list' }],
            });
      },
    }),
    defineRoute({
      name: 'readProposal',
      method: 'GET',
      path: '/api/saas/proposals/:proposalId',
      policy: 'staff',
      tags: ['cases'],
      summary: 'One proposal; `proposal` is the file that `ops resolve --proposal` takes',
      description:
        'With its approval, once there is one. The file is judged off-line by its signatures and by the evidence of that moment.',
      params,
      responses: { 200: proposalViewSchema },
      errors: ['not_found', 'store_unavailable'],
      handle: async ({ params: { proposalId } }) => {
        const proposal = await proposals.findById(proposalId);
        return proposal ? reply(200, view(proposal)) : problem('not_found', { detail: 'There is no such proposal.' });
      },
    }),
  ];
}

function writingRoutes(ports: ProposalRoutePorts, view: (proposal: Proposal) => ProposalView): Route[] {
  return [
    defineRoute({
      name: 'proposeResolution',
      method: 'POST',
      path: '/api/saas/proposals',
      policy: 'support',
      tags: ['cases'],
      summary: 'Prepare a signed proposal for the end of an investigation',
      description:
        'Judged by the evidence of this moment, as the off-line program judges it. The record stays as it is, whatever is proposed and approved.',
      body: proposalBodySchema,
      responses: { 201: proposalViewSchema },
      errors: ['proposal_refused', 'export_not_configured', 'store_unavailable'],
      handle: async ({ body, caller }) => {
        const { key } = ports;
        if (!key) return unsigned();
        const { override, ...said } = body;
        const request = { ...said, ...(override !== undefined && { override }) };
        const prepared = await prepareProposal({ ...ports, key }, request, personOf(caller));
        return prepared.ok
          ? reply(201, view(prepared.value))
          : problem('proposal_refused', { detail: prepared.error.slice(0, 2_000) });
      },
    }),
    defineRoute({
      name: 'approveResolution',
      method: 'POST',
      path: '/api/saas/proposals/:proposalId/approval',
      policy: 'approver',
      tags: ['cases'],
      summary: "Approve another person's proposal as it was shown",
      description:
        'Signs the approval. The record stays as it is; the answer names the line that applies the proposal.',
      params,
      body: approvalBodySchema,
      responses: { 200: proposalViewSchema },
      errors: [
        'not_found',
        'second_person_required',
        'proposal_outdated',
        'export_not_configured',
        'store_unavailable',
      ],
      handle: async ({ params: { proposalId }, body, caller }) => {
        const { key } = ports;
        if (!key) return unsigned();
        const approved = await approveProposal({ ...ports, key }, proposalId, personOf(caller), body.proposal);
        return approved.ok ? reply(200, view(approved.value)) : problem(approved.error);
      },
    }),
  ];
}

/** This service's program applies these kinds and reads stored proposals; other programs read the downloaded file. */
const ownKinds: readonly ProposedKind[] = ['operation', 'migration_item'];

function proposalView(proposal: Proposal, now: Date, opsCommand = developmentOpsCommand): ProposalView {
  const status = isExpired(proposal, now) ? 'expired' : proposal.status;
  const { kind, itemId, _id: proposalId } = proposal;
  const named = ownKinds.includes(kind) ? proposalId : `proposal-${proposalId}.json`;
  const line = opsLine(
    `resolve ${kind.replaceAll('_', '-')} ${itemId} --proposal ${named} --token-file <file with your token>`,
  );
  return {
    status,
    digest: digestOfProposal(proposal),
    proposal: signedOf(proposal),
    ...(status === 'approved' && { command: inDeployment(line, opsCommand) }),
  };
}
