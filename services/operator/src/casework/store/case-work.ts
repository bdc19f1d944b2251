/**
 * Collections `case_work`, people's work on a case (`_id` is `<kind>:<id>`, as in the work queue), and `case_pins`, a
 * case as it was at one moment. Both outlive the case, so the work on it stays readable.
 */
import { setCaseStates } from '@platform/contracts-operator';
import type { CollectionDeclaration } from '@platform/mongo';
import type { CasePin } from '../domain/case-pin';
import type { CaseWork } from '../domain/case-work';

export const caseWorkCollection: CollectionDeclaration<CaseWork> = {
  name: 'case_work',
  vocabulary: { state: setCaseStates },
  indexes: [{ name: 'by_assignee', key: { assignee: 1, updatedAt: -1, _id: -1 } }],
};

export const casePinsCollection: CollectionDeclaration<CasePin> = { name: 'case_pins', indexes: [] };
