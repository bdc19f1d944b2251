/** Where the infrastructure of a history listens. */
export const ports = { store: 7017, broker: 7022, twin: 7090 } as const;
