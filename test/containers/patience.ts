/**
 * How long a step may take before it fails. A slow machine is not a failure: a broken container ends or restarts
 * repeatedly, which is detected directly. This limit is therefore far longer than a busy machine has ever needed.
 */
export const slowMachineMs = 1_200_000;
