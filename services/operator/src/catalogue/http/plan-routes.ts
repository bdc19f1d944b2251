/** The plan catalog of the platform owner. */
import {
  planIdSchema,
  planRequestSchema,
  plansSchema,
  planViewSchema,
  type PlanView,
} from '@platform/contracts-operator';
import { defineRoute, problem, reply, type Route } from '@platform/http-server';
import { z } from 'zod';
import type { Plan } from '../domain/plan';
import { listPlans, putPlan, type CatalogPorts } from '../workflows/keep-plans';

export function planRoutes(ports: CatalogPorts): Route[] {
  return [
    defineRoute({
      name: 'listPlans',
      method: 'GET',
      path: '/api/saas/plans',
      policy: 'staff',
      tags: ['plans'],
      summary: 'Read the plan catalog',
      responses: { 200: plansSchema },
      errors: ['store_unavailable'],
      handle: async () => reply(200, { plans: (await listPlans(ports)).map(planView) }),
    }),
    defineRoute({
      name: 'writePlan',
      method: 'PUT',
      path: '/api/saas/plans/:planId',
      policy: 'platform_owner',
      tags: ['plans'],
      summary: 'Write a plan of the catalog',
      description:
        'Amount, currency and price of a plan that exists stay as they are: subscribers pay them. Make a new plan and migrate to it.',
      params: z.object({ planId: planIdSchema }),
      body: planRequestSchema,
      responses: { 200: planViewSchema, 201: planViewSchema },
      errors: ['plan_changed', 'store_unavailable'],
      examples: {
        body: { example: { name: 'Team', amountCents: 7900, currency: 'usd', priceId: 'price_team', offered: true } },
      },
      handle: async ({ params, body }) => {
        const put = await putPlan(ports, params.planId, body);
        switch (put.kind) {
          case 'written':
            return put.created ? reply(201, planView(put.plan)) : reply(200, planView(put.plan));
          case 'refused':
            return problem('invalid_request', { errors: put.errors });
          case 'changed':
            return problem('plan_changed');
          case 'unknown':
            return problem('store_unavailable', {
              detail: 'It is not known whether the plan was written. Read the catalog.',
              retryAfterSeconds: 2,
            });
        }
      },
    }),
  ];
}

function planView({ _id, name, amountCents, currency, priceId, offered, revision, updatedAt }: Plan): PlanView {
  return {
    planId: _id,
    name,
    amountCents,
    currency,
    ...(priceId && { priceId }),
    offered,
    revision,
    updatedAt: updatedAt.toISOString(),
  };
}
