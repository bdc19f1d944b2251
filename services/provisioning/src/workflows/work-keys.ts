/** How the register of work under way names a creation and the handling of a provider event. */
import { workKey } from '@platform/kernel';
import { admissionsCollection, attemptsCollection } from '../store/collections';

export const attemptKey = (tenantId: string): string => workKey(attemptsCollection.name, tenantId);
export const admissionKey = (eventId: string): string => workKey(admissionsCollection.name, eventId);
