/**
 * The receiver's refusals: code, HTTP status, title, what happened and what to do (contracts §2). The provider reads
 * only the status.
 */
export const webhookCodes = {
  webhook_signature_invalid: {
    status: 400,
    title: 'Signature invalid',
    message: 'The signature is not valid for these bytes. Nothing was recorded.',
    nextStep: 'Compare the signing secret of the endpoint with WEBHOOK_SECRETS, and the clocks of both sides.',
  },
  webhook_payload_invalid: {
    status: 400,
    title: 'Not an event',
    message: 'The signature is valid, but the body is not an event. Nothing was recorded.',
    nextStep: 'Check that the endpoint sends events of the pinned API version.',
  },
  webhook_event_conflict: {
    status: 409,
    title: 'Event id of another type',
    message:
      'This event id is already recorded with another type. The difference was recorded with the first event, and nothing was dispatched.',
    nextStep: 'Compare both events at the payment provider. The record of the first event holds the evidence.',
  },
  webhook_unresolved: {
    status: 500,
    title: 'Event unresolved',
    message: 'The handling of this event has begun and its outcome is not known. It is never handled a second time.',
    nextStep: 'Wait for the outcome, or open the case of the event in the console.',
  },
  webhook_not_recorded: {
    status: 503,
    title: 'Event not recorded',
    message: 'The event could not be recorded, and it was not dispatched.',
    nextStep: 'Deliver it again.',
  },
} as const;
