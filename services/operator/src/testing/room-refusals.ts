/** How the refusals come about whose rooms play them themselves. */
import { caseWorkRefusals } from '../casework/testing/case-work-refusals';
import { signInRefusals } from '../sign-in/testing/sign-in-refusals';

export const roomRefusals = { ...signInRefusals, ...caseWorkRefusals };
