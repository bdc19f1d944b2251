/** People's progress on a case, as a row of the work queue shows it. */
import { z } from 'zod';

/** The states that a person sets; the other two follow from a proposal that has not expired. */
export const setCaseStates = ['new', 'looked_at', 'waiting_for'] as const;
export const caseStates = [...setCaseStates, 'proposed', 'approved'] as const;
export const caseStateSchema = z.enum(caseStates).describe('How far people are with the case.');
export type CaseState = z.infer<typeof caseStateSchema>;

export const caseProgressSchema = z.object({
  state: caseStateSchema,
  assignee: z.string().nullable().describe('E-mail address of the person who has the case; null: no person.'),
  waitingFor: z.string().optional().describe('With the state `waiting_for`: what is waited for.'),
});
export type CaseProgress = z.infer<typeof caseProgressSchema>;
