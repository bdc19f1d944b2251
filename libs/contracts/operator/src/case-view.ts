/**
 * A case: one record for an investigator, unresolved or resolved, in one shape for all kinds. The two questions come
 * first (did money move, may anything still run), then the request, the calls, what the provider shows and the
 * executors.
 */
import { z } from 'zod';
import { deliveryViewSchema } from '@platform/contracts-lifecycle-delivery';
import { callPhases, providerCallViewSchema } from './operation-view';
import { providerFindingsSchema } from './evidence-view';
import { instantSchema } from './vocabulary';
import { moneySchema, workKindSchema } from './work-queue-view';

/**
 * `not_known` means that no record proves either answer, and is never replaced by a guess. `contradicted`: an
 * investigation recorded an outcome that the provider does not show.
 */
export const moneyAnswers = ['moved', 'did_not_move', 'not_known', 'no_money', 'contradicted'] as const;
/**
 * `yes`: an executor is admitted and alive. `no`: the records show that nothing can run. `not_proven`: a person must
 * prove it.
 */
export const runningAnswers = ['yes', 'no', 'not_proven'] as const;

const factSchema = z.object({
  label: z.string(),
  value: z.string(),
  /** ISO instants are shown relative and in UTC. */ form: z.enum(['text', 'id', 'instant', 'code']),
});
export type CaseFact = z.infer<typeof factSchema>;

export const caseCallSchema = providerCallViewSchema
  .omit({ method: true, phase: true })
  .extend({ attempt: z.int(), method: z.string().optional(), phase: z.enum(callPhases).or(z.string()).optional() });
export type CaseCall = z.infer<typeof caseCallSchema>;

export const caseTimelineSchema = z.object({
  at: instantSchema,
  what: z.string(),
  detail: z.string().optional(),
  tone: z.enum(['neutral', 'good', 'bad', 'unknown']),
});
export type CaseEvent = z.infer<typeof caseTimelineSchema>;

export const caseSchema = z
  .object({
    kind: workKindSchema,
    id: z.string(),
    tenantId: z.string().nullable(),
    title: z.string(),
    status: z.string(),
    /** Whether the case still waits for something. */
    open: z.boolean(),
    since: instantSchema,
    collectedAt: instantSchema,
    money: moneySchema.nullable(),
    verdict: z.object({
      money: z.object({ answer: z.enum(moneyAnswers), because: z.string() }),
      running: z.object({ answer: z.enum(runningAnswers), because: z.string() }),
    }),
    intent: z.array(factSchema),
    sent: z.array(caseCallSchema),
    provider: providerFindingsSchema,
    executors: z.array(
      z.object({
        attempt: z.int(),
        service: z.string(),
        instance: z.string(),
        incarnation: z.string(),
        state: z.string(),
        lastHeardOf: instantSchema.optional(),
        startedAt: instantSchema.optional(),
        finishedAt: instantSchema.optional(),
        outcome: z.string().optional(),
      }),
    ),
    deliveries: z.array(deliveryViewSchema),
    timeline: z.array(caseTimelineSchema),
    notProven: z.array(z.string()),
    next: z.object({ advice: z.enum(['nothing', 'repeat', 'wait', 'investigate']), text: z.string() }),
    /** Command lines of `npm run ops`, to be run off-line by a person; the console never runs them. */
    commands: z.array(z.object({ purpose: z.string(), line: z.string() })),
  })
  .meta({ id: 'Case' });
export type CaseView = z.infer<typeof caseSchema>;

export const caseExportFormat = 'workspace-platform.case.v1';

/** A case as a file. The signature covers the canonical JSON (sorted keys, no blanks) of everything but itself. */
export const caseExportSchema = z
  .object({
    format: z.literal(caseExportFormat),
    exportedAt: instantSchema,
    exportedBy: z.string(),
    case: caseSchema,
    signature: z.object({ algorithm: z.literal('HMAC-SHA256'), keyId: z.string(), value: z.string() }),
  })
  .meta({ id: 'CaseExport' });
export type CaseExport = z.infer<typeof caseExportSchema>;
