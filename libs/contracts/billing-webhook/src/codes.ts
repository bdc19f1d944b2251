/** The receiver's refusals: code, HTTP status, title and message (contracts §2). The provider reads the status only. */
export const webhookCodes = {
  webhook_signature_invalid: {
    status: 400,
    title: 'Signature invalid',
    message: 'The signature does not hold for these bytes. Nothing was recorded.',
  },
  webhook_payload_invalid: {
    status: 400,
    title: 'Not an event',
    message: 'The bytes are signed and are not an event. Nothing was recorded.',
  },
  webhook_event_conflict: {
    status: 409,
    title: 'Event id of another type',
    message:
      'This event id already stands for an event of another type. It was recorded on the standing event and not dispatched.',
  },
  webhook_unresolved: {
    status: 500,
    title: 'Event unresolved',
    message:
      'This event is admitted and its outcome is not known yet, or needs reconciliation. It is never handled a second time.',
  },
  webhook_not_recorded: {
    status: 503,
    title: 'Event not recorded',
    message: 'The event could not be recorded; it was not dispatched. Deliver it again.',
  },
} as const;
