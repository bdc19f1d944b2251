/** How the register of work under way names the handling of a provider event. */
import { workKey } from '@platform/kernel';
import { providerEventAdmissionsCollection } from '../store/provider-event-admissions';

export const admissionKey = (eventId: string): string => workKey(providerEventAdmissionsCollection.name, eventId);
