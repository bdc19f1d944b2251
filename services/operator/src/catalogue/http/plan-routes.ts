/** The plan catalog of the platform owner. */
import {
  planIdSchema,
  planRequestSchema,
  plansSchema,
  planViewSchema,
  type PlanView,
} from '@platform/contracts-operator';
import { defineRoute, namesTag, problem, reply, type Route } from '@platform/http-server';
import { z } from 'zod';
import type { Plan } from '../domain/plan';
import { listPlans, putPlan, type PlanWritePorts } from '../workflows/keep-plans';

export function planRoutes(ports: PlanWritePorts): Route[] {
  return [
    defineRoute({
      name: 'listPlans',
      method: 'GET',
      path: '/api/saas/plans',
      policy: 'staff',
      tags: ['plans'],
      summary: 'Read the plan catalog',
      description:
        'All plans by id, those that are off sale too. `revision` in quotes is the entity tag for `If-Match`.',
      responses: { 200: plansSchema },
      errors: ['store_unavailable'],
      handle: async () => reply(200, { plans: (await listPlans(ports)).map(planView) }),
    }),
    writeRoute(ports),
  ];
}

function writeRoute(ports: PlanWritePorts): Route {
  return defineRoute({
    name: 'writePlan',
    method: 'PUT',
    path: '/api/saas/plans/:planId',
    policy: 'platform_owner',
    tags: ['plans'],
    summary: 'Write a plan of the catalog',
    description:
      'A new plan, and one that goes back on sale, needs an active price at the payment provider with its amount and currency. Those of a plan that exists, and its price, stay as they are: subscribers pay them. Make a new plan and migrate to it. How often it is paid is what the price at the provider says.',
    params: z.object({ planId: planIdSchema }),
    headers: z.object({
      'if-match': z
        .string()
        .max(200)
        .optional()
        .describe(
          'The entity tag of the plan as it was read (its `revision` in quotes): the plan is written in that state alone.',
        ),
      'if-none-match': z.literal('*').optional().describe('`*`: the plan is written only if there is none.'),
    }),
    body: planRequestSchema,
    responses: { 200: planViewSchema, 201: planViewSchema },
    errors: ['plan_changed', 'precondition_failed', 'provider_unavailable', 'store_unavailable'],
    examples: {
      body: { example: { name: 'Team', amountCents: 7900, currency: 'usd', priceId: 'price_team', offered: true } },
    },
    handle: async ({ params, body, headers }) => {
      const { 'if-match': tag, 'if-none-match': none } = headers;
      const put = await putPlan(ports, params.planId, body, (standing) =>
        standing === null
          ? tag === undefined
          : none === undefined && (tag === undefined || namesTag(tag, tagOf(standing))),
      );
      switch (put.kind) {
        case 'written':
          return reply(put.created ? 201 : 200, planView(put.plan), { etag: tagOf(put.plan) });
        case 'refused':
          return problem('invalid_request', { errors: put.errors });
        case 'price_unread':
          return problem('provider_unavailable', {
            detail: `The plan was not written: its price could not be read at the payment provider, or it does not recur (${put.reason}).`,
            retryAfterSeconds: 2,
          });
        case 'another_state':
          return problem('precondition_failed');
        case 'changed':
          return problem('plan_changed');
        case 'unknown':
          return problem('store_unavailable', {
            detail: 'It is not known whether the plan was written. Read the catalog.',
            retryAfterSeconds: 2,
          });
      }
    },
  });
}

const tagOf = ({ revision }: Plan): string => `"${revision}"`;

function planView(plan: Plan): PlanView {
  const { _id, name, amountCents, currency, priceId, billedEvery, offered, revision, updatedAt } = plan;
  return {
    planId: _id,
    name,
    amountCents,
    currency,
    ...(priceId && { priceId }),
    ...(billedEvery && { billedEvery }),
    offered,
    revision,
    updatedAt: updatedAt.toISOString(),
  };
}
