/** How long a whole-platform test may take before it counts as hanging: no verdict may depend on how busy the machine is. */
export const timeoutMs = 15 * 60_000;
