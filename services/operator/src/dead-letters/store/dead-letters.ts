/** Collection `dead_letters`: `_id` is the letter's position in its stream with the instant of its arrival. */
import type { CollectionDeclaration } from '@platform/mongo';
import { deadLetterStatuses, type DeadLetter } from '../domain/dead-letter';

export const deadLettersCollection: CollectionDeclaration<DeadLetter> = {
  name: 'dead_letters',
  vocabulary: { status: deadLetterStatuses },
  announces: true,
  tells: ({ subject, status }) => ({ record: 'dead_letter', subject, state: status }),
  indexes: [
    { name: 'by_status', key: { status: 1, createdAt: 1, _id: 1 } },
    { name: 'by_sequence', key: { sequence: 1, refusedAt: 1, _id: 1 } },
  ],
};
