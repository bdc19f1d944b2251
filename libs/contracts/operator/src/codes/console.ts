/** Refusals of the gateway's read routes: streams, the broker, exports, proposals and other services. */
export const consoleCodes = {
  broker_unavailable: {
    status: 503,
    title: 'Broker unavailable',
    message: 'The message broker does not answer. Nothing is lost: messages wait in the database.',
    nextStep: 'Try again in a moment. If it lasts, look at the broker.',
  },
  too_many_streams: {
    status: 503,
    title: 'Too many live streams',
    message:
      'Too many of your browsers, or too many browsers in total, receive live changes from this gateway. The data can still be read.',
    nextStep: 'Reload the page from time to time, or close windows that are not needed.',
  },
  export_not_configured: {
    status: 503,
    title: 'Export not configured',
    message: 'This gateway has no key to sign cases and proposals with.',
    nextStep: 'Set CASE_SIGNING_KEY and restart the gateway.',
  },
  case_assigned: {
    status: 409,
    title: 'Case assigned meanwhile',
    message: 'The case is assigned to a different person than the request names.',
    nextStep: 'Read the case again and speak with the person who has it before you take it.',
  },
  case_work_full: {
    status: 409,
    title: 'Case is full',
    message: 'The case has as many entries as it may have.',
    nextStep: 'Write down what follows where your team keeps its incidents, and end the case.',
  },
  proposal_refused: {
    status: 409,
    title: 'Proposal refused',
    message: 'The record or the evidence does not support this resolution.',
    nextStep: 'Read the case again, and propose what its evidence shows.',
  },
  consumer_action_refused: {
    status: 409,
    title: 'Action on a consumer refused',
    message: 'The consumer’s record does not allow this action now. `detail` says why. Nothing was done.',
    nextStep: 'Read the consumer, and send the action under a new id when its record allows it.',
  },
  proposal_outdated: {
    status: 409,
    title: 'Proposal outdated',
    message: 'The proposal was approved already, has expired, or differs from the one shown to you.',
    nextStep: 'Read the case again and decide on what it shows now.',
  },
  second_person_required: {
    status: 403,
    title: 'Second person required',
    message: 'The person who made a proposal cannot approve it.',
    nextStep: 'Ask a colleague who may approve to read and approve it.',
  },
  served_elsewhere: {
    status: 404,
    title: 'Served elsewhere',
    message: 'This process serves the reading side of the console and executes nothing.',
    nextStep: 'Send the request to the gateway.',
  },
  peer_unavailable: {
    status: 503,
    title: 'Service unavailable',
    message: 'The service that keeps this record does not answer.',
    nextStep: 'Try again in a moment. If it lasts, look at that service.',
  },
} as const;
