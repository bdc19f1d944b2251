/** Constants that the processes of the webhooks bench share; the floor has its own streams on the same broker. */
export const floorNamespace = 'webhooks_floor';
export const floorStream = (stream: string): string => `WEBHOOKS_FLOOR_${stream}`;
export const floorSubject = (subject: string): string => `${floorNamespace}.${subject}`;
