/** How the register of work under way names a creation, the handling of a provider event, and a deletion. */
import { workKey } from '@platform/kernel';
import { admissionsCollection, attemptsCollection, deletionsCollection } from '../store/collections';

export const attemptKey = (tenantId: string): string => workKey(attemptsCollection.name, tenantId);
export const admissionKey = (eventId: string): string => workKey(admissionsCollection.name, eventId);
export const deletionKey = (tenantId: string): string => workKey(deletionsCollection.name, tenantId);
