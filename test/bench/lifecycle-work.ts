/** Constants that the processes of the lifecycle bench share. */

export const consumerNames = ['consumer-1', 'consumer-2', 'consumer-3', 'consumer-4', 'consumer-5'] as const;

/**
 * The floor of the benchmark (plain messages without the platform) has separate streams, configured like those of the
 * platform, on the same broker.
 */
export const floorNamespace = 'floor';
export const floorStream = (stream: string): string => `FLOOR_${stream}`;
export const floorDurable = (consumer: string): string => `floor-${consumer}`;
