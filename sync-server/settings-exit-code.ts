/**
 * `EX_CONFIG` of sysexits.h: only an operator can fix it, and a restart would fail the same way.
 */
export const settingsExitCode = 78
