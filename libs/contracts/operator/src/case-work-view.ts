/**
 * People's work on a case: the assignee, the findings, what the case waits for, and pinned evidence. It never changes
 * the record that the case concerns; `proposed` and `approved` are read from the proposals themselves.
 */
import { z } from 'zod';
import { caseProgressSchema, setCaseStates } from './case-progress';
import { caseSchema } from './case-view';
import { instantSchema, operationIdSchema, writtenText } from './vocabulary';
import { workKindSchema } from './work-queue-view';

export const caseWorkLimits = {
  textCharacters: 2_000,
  /** The most entries of one case. */
  entries: 300,
  /** The most cases of one person that a list by person looks through, most of which have ended. */
  assignedCases: 10_000,
} as const;

const textSchema = writtenText(caseWorkLimits.textCharacters);
const personSchema = z.email().max(320);
const entryIdSchema = operationIdSchema.describe('Chosen by the caller; a repeat with the same id adds nothing.');

/** One entry of the case's history; each is added once. */
export const caseWorkRequestSchema = z
  .discriminatedUnion('what', [
    z.strictObject({ what: z.literal('note'), entryId: entryIdSchema, text: textSchema.describe('The note.') }),
    z.strictObject({
      what: z.literal('assigned'),
      entryId: entryIdSchema,
      from: personSchema
        .nullable()
        .describe('Who has the case as the caller saw it; refused when another person has it.'),
      to: personSchema.nullable().describe('Who has it from now on; null: no person.'),
    }),
    z.strictObject({
      what: z.literal('state'),
      entryId: entryIdSchema,
      state: z.enum(setCaseStates).describe('How far people are.'),
      text: textSchema.optional().describe('What is waited for; with `waiting_for` only, and required there.'),
    }),
    z.strictObject({
      what: z.literal('pinned'),
      entryId: entryIdSchema,
      text: textSchema.optional().describe('Why this moment matters.'),
    }),
  ])
  .refine((entry) => entry.what !== 'state' || (entry.state === 'waiting_for') === (entry.text !== undefined), {
    path: ['text'],
    message: 'is what is waited for: required with waiting_for, and absent otherwise',
  })
  .meta({ id: 'CaseWorkRequest' });
export type CaseWorkRequest = z.infer<typeof caseWorkRequestSchema>;

export const caseEntrySchema = z.object({
  entryId: z.string(),
  at: instantSchema,
  by: z.string().describe('E-mail address of the person.'),
  what: z.enum(['note', 'assigned', 'state', 'pinned']).describe('What the person did.'),
  text: z.string().optional().describe('The note, what is waited for, or why the moment was pinned.'),
  to: z.string().nullable().optional().describe('Who has the case since then; null: no person.'),
  state: z.enum(setCaseStates).optional().describe('The state since then.'),
  pin: z
    .object({
      digest: z.string().describe('SHA-256 over the canonical JSON of the pinned case.'),
      status: z.string().describe('Status of the record then.'),
      money: z.string().describe('The answer to the first question then.'),
      running: z.string().describe('The answer to the second question then.'),
    })
    .optional()
    .describe('Of a pinned case.'),
});
export type CaseEntryView = z.infer<typeof caseEntrySchema>;

export const caseWorkSchema = caseProgressSchema
  .extend({
    kind: workKindSchema,
    id: z.string(),
    cause: z
      .string()
      .optional()
      .describe('What unresolved records of one incident have in common; filters the work queue.'),
    proposalId: z.string().optional().describe('The proposal behind `proposed` and `approved`.'),
    entries: z.array(caseEntrySchema).describe('Newest first.'),
  })
  .meta({ id: 'CaseWork' });
export type CaseWorkView = z.infer<typeof caseWorkSchema>;

export const pinnedCaseSchema = z
  .object({
    entryId: z.string(),
    pinnedAt: instantSchema.describe('When the evidence was read and kept.'),
    pinnedBy: z.string().describe('E-mail address of the person.'),
    digest: z.string().describe('SHA-256 over the canonical JSON of `case`.'),
    case: caseSchema.describe('The case as it was read then.'),
  })
  .meta({ id: 'PinnedCase' });
export type PinnedCase = z.infer<typeof pinnedCaseSchema>;
