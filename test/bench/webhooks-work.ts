/** What the processes of the webhooks bench agree on: the floor has streams of its own on the same broker. */
export const floorNamespace = 'webhooks_floor';
export const floorStream = (stream: string): string => `WEBHOOKS_FLOOR_${stream}`;
export const floorSubject = (subject: string): string => `${floorNamespace}.${subject}`;
